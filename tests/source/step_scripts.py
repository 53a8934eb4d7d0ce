"""Training steps in many styles, each with the conclusion that it must reach; read, never run."""

PRE = """
import mindspore as ms
from mindspore import nn, ops, amp
import mindspore.ops.functional as F
import mindspore.ops.composite as C
from mindspore.ops import operations as P
net = nn.Dense(4, 3)
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.1)
"""

SCALER = (
    PRE
    + """
scaler = amp.DynamicLossScaler(2**16, 2, 100)
def forward(x, y):
    loss = loss_fn(net(x), y)
    return scaler.scale(loss), loss
grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
"""
)

LOOP = """
for x, y in data:
    step(x, y)
"""


def functional(body: str) -> str:
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    head = "@ms.jit\ndef step(x, y):\n    (_, loss), grads = grad_fn(x, y)"
    return f"{SCALER}\n{head}\n{lines}\n    opt(grads)\n    return loss\n{LOOP}"


_MAKE = "Step(nn.WithLossCell(net, loss_fn), opt, nn.DynamicLossScaleUpdateCell(2**16, 2, 100))"


def cell(
    body: str, init: str = "pass", make: str = _MAKE, base: str = "nn.TrainOneStepWithLossScaleCell", more: str = ""
) -> str:
    lines = "\n".join("        " + line for line in body.strip().splitlines())
    return f"""{PRE}
from mindspore.nn.wrap.loss_scale import _grad_scale
grad_scale = C.MultitypeFuncGraph("grad_scale")
reciprocal = P.Reciprocal()
@grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * F.cast(reciprocal(scale), F.dtype(grad))
clip_grad = C.MultitypeFuncGraph("clip_grad")
@clip_grad.register("Number", "Number", "Tensor")
def _clip_grad(clip_type, clip_value, grad):
    if clip_type not in (0, 1):
        return grad
    dt = F.dtype(grad)
    if clip_type == 0:
        low = F.cast(F.tuple_to_array((-clip_value,)), dt)
        new_grad = C.clip_by_value(grad, low, F.cast(F.tuple_to_array((clip_value,)), dt))
    else:
        new_grad = nn.ClipByNorm()(grad, F.cast(F.tuple_to_array((clip_value,)), dt))
    return new_grad
{more}
class Step({base}):
    def __init__(self, network, optimizer, scale_sense=None):
        super().__init__(network, optimizer, scale_sense)
        self.cast = P.Cast()
        {init}
    def construct(self, *inputs):
        weights = self.weights
        loss = self.network(*inputs)
        scaling_sens = self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        scaling_sens_filled = C.ones_like(loss) * F.cast(scaling_sens, F.dtype(loss))
        grads = self.grad(self.network, weights)(*inputs, scaling_sens_filled)
{lines}
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        if not overflow:
            loss = F.depend(loss, self.optimizer(grads))
        return loss, cond, scaling_sens
step = {make}
step.set_train()
for x, y in data:
    step(x, y)
"""


UNSCALE = "grads = self.hyper_map(F.partial(grad_scale, scaling_sens), grads)"
CLIP = "grads = self.hyper_map(F.partial(clip_grad, 1, 1.0), grads)"

BY_HAND = (
    PRE
    + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--loss-scale", type=float, default={scale})
args = parser.parse_args()
def forward(x, y):
    return loss_fn(net(x), y) * args.loss_scale
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
def step(x, y):
    loss, grads = grad_fn(x, y)
    {first}
    {second}
    opt(grads)
"""
    + LOOP
)

DIVIDE = "grads = [g / args.loss_scale for g in grads]"
GLOBAL = "grads = ops.clip_by_global_norm(grads, 1.0)"

ACCUMULATING = (
    PRE
    + """
accumulate = C.MultitypeFuncGraph("accumulate")
@accumulate.register("Tensor", "Tensor")
def _accumulate(held, grad):
    return F.depend(True, P.AssignAdd()(held, F.cast(grad, ms.float32)))
grad_scale = C.MultitypeFuncGraph("grad_scale")
@grad_scale.register("Tensor", "Tensor")
def _scale(scale, grad):
    return grad * P.Reciprocal()(scale)
class Accumulating(nn.Cell):
    def __init__(self, network, optimizer, scale_update_cell=None, steps=4):
        super(Accumulating, self).__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters
        self.accu_grads = self.weights.clone(prefix="accu_grads", init="zeros")
        self.steps = steps
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.grad_reducer = F.identity
        self.degree = 1
        self.hyper_map = C.HyperMap()
        self.loss_scale = None
        self.loss_scaling_manager = scale_update_cell
        if scale_update_cell:
            self.loss_scale = ms.Parameter(ms.Tensor(scale_update_cell.get_loss_scale(), dtype=ms.float32))
    def construct(self, x, y, sens=None):
        loss = self.network(x, y)
        if sens is None:
            scaling_sens = self.loss_scale
        else:
            scaling_sens = sens
        grads = self.grad(self.network, self.weights)(x, y, F.cast(scaling_sens, ms.float32))
        loss = F.depend(loss, self.hyper_map(accumulate, self.accu_grads, grads))
        overflow = ops.logical_not(amp.all_finite(grads))
        grads = self.grad_reducer(self.accu_grads)
        {body}
        if sens is None:
            overflow = self.loss_scaling_manager(self.loss_scale, overflow)
        if not overflow:
            self.optimizer(grads)
        return loss, overflow, scaling_sens
manager = nn.DynamicLossScaleUpdateCell(2**16, 2, 100)
step = Accumulating(nn.WithLossCell(net, loss_fn), opt, manager)
model = ms.Model(step)
model.train(3, data)
"""
)
_DOWN = (
    "scaling = scaling_sens * self.degree * self.steps; grads = self.hyper_map(F.partial(grad_scale, scaling), grads)"
)
_NORM = "grads = C.clip_by_global_norm(grads, 1.0, None)"

#: A forward function both branches of which return.
TWO_RETURNS = (
    PRE
    + """
def forward(x, y, balanced):
    loss = loss_fn(net(x), y)
    if balanced:
        return loss.mean() * SCALE, loss
    else:
        return loss.sum() * SCALE, loss
grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
SCALE = 2048.0
def step(x, y, balanced):
    (_, loss), grads = grad_fn(x, y, balanced)
    {body}
    opt(grads)
    return loss
for x, y, balanced in data:
    step(x, y, balanced)
"""
)
_DIVIDE = "grads = [g / SCALE for g in grads]"

CLIPPING = {
    "problem_forward_of_two_returns": TWO_RETURNS.replace("{body}", f"{_NORM}; {_DIVIDE}"),
    "ok_forward_of_two_returns": TWO_RETURNS.replace("{body}", f"{_DIVIDE}; {_NORM}"),
    "problem_parameters_accumulate": ACCUMULATING.replace("{body}", f"{_NORM}; {_DOWN}"),
    "ok_parameters_accumulate": ACCUMULATING.replace("{body}", f"{_DOWN}; {_NORM}"),
    "na_own_optimizer_clips": PRE
    + """
class Clipped(nn.SGD):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._original_construct = super().construct
    def construct(self, grads):
        grads = ops.clip_by_global_norm(grads, 10.0)
        return self._original_construct(grads)
model = ms.Model(net, loss_fn, Clipped(net.trainable_params(), 0.1))
model.train(3, data)
""",
    "ok_own_optimizer_clips_unscaled": PRE
    + """
class Clipped(nn.SGD):
    def construct(self, grads):
        grads = ops.clip_by_global_norm(grads, 10.0)
        return super().construct(grads)
model = ms.Model(net, loss_fn, Clipped(net.trainable_params(), 0.1), loss_scale_manager=amp.DynamicLossScaleManager())
model.train(3, data)
""",
    "ok_several_losses_one_sens": PRE
    + """
class Step(nn.Cell):
    def __init__(self, network, optimizer, scale):
        super().__init__()
        self.network, self.optimizer, self.scale = network, optimizer, scale
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.hyper_map = ops.HyperMap()
    def construct(self, x, y):
        loss, first, second = self.network(x, y)
        sens = F.fill(loss.dtype, loss.shape, self.scale)
        none = F.fill(first.dtype, first.shape, 0.0)
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, (sens, none, none))
        grads = self.hyper_map(F.partial(ops.mul, ops.reciprocal(self.scale)), grads)
        grads = ops.clip_by_global_norm(grads, 1.0)
        return ops.depend(loss, self.optimizer(grads))
scale = amp.DynamicLossScaler(2**16, 2, 100).scale_value
step = Step(net, opt, scale)
for x, y in data:
    step(x, y)
""",
    "problem_clipped_before_and_after": functional(
        "grads = ops.clip_by_global_norm(grads, 1.0)\ngrads = scaler.unscale(grads)\ngrads = ops.clip_by_global_norm(grads, 1.0)"
    ),
    "undecided_hangs_on_an_unknown_option": SCALER
    + """
from somewhere import options
def step(x, y):
    (_, loss), grads = grad_fn(x, y)
    if options.clip_first:
        grads = ops.clip_by_global_norm(grads, 1.0)
        grads = scaler.unscale(grads)
    else:
        grads = scaler.unscale(grads)
        grads = ops.clip_by_global_norm(grads, 1.0)
    opt(grads)
"""
    + LOOP,
    "problem_scale_moves_by_hand": PRE
    + """
scale = 65536.0
def forward(x, y, scale):
    return loss_fn(net(x), y) * scale
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y, scale)
    grads = [ops.clip_by_norm(g, 1.0) for g in grads]
    grads = [g / scale for g in grads]
    if amp.all_finite(grads):
        opt(grads)
        scale = scale * 2
    else:
        scale = scale / 2
""",
    "problem_data_sink": SCALER
    + """
def step(x, y):
    (_, loss), grads = grad_fn(x, y)
    grads = scaler.unscale(ops.clip_by_global_norm(grads, 1.0))
    opt(grads)
    return loss
sink = ms.data_sink(step, data, 10)
for epoch in range(3):
    sink()
""",
    "problem_trainer_object": PRE
    + """
class Trainer:
    def __init__(self, net, opt, scaler, limit=1.0):
        self.net, self.opt, self.scaler, self.limit = net, opt, scaler, limit
        self.grad_fn = ms.value_and_grad(self.forward, None, opt.parameters)
        self.compiled = ms.jit(self.step)
    def forward(self, x, y):
        return self.scaler.scale(loss_fn(self.net(x), y))
    def clip(self, grads):
        if self.limit is None:
            return grads
        return ops.clip_by_global_norm(grads, self.limit)
    def step(self, x, y):
        loss, grads = self.grad_fn(x, y)
        grads = self.clip(grads)
        self.opt(self.scaler.unscale(grads))
        return loss
    def fit(self, data, epochs):
        for epoch in range(epochs):
            for x, y in data:
                loss = self.compiled(x, y)
def main():
    trainer = Trainer(net, opt, amp.DynamicLossScaler(2**16, 2, 100))
    trainer.fit(data, 3)
if __name__ == "__main__":
    main()
""",
    "na_a_scale_of_attention": PRE
    + """
class Attention(nn.Cell):
    def __init__(self, width, heads, scale=None):
        super().__init__()
        self.scale = scale or (width // heads) ** -0.5
        self.qkv = nn.Dense(width, 3 * width)
        self.gamma = ms.Parameter(ops.ones(width))
    def construct(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        attention = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * self.scale, -1)
        return ops.matmul(attention, v) * self.gamma
from somewhere import settings
net = Attention(settings.width, settings.heads)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in data:
    scale = x.std()
    loss, grads = grad_fn(x / scale, y)
    grads = ops.clip_by_global_norm(grads, 1.0)
    opt(grads)
""",
    "ok_a_scale_of_attention_beside_the_loss_scale": SCALER.replace(
        "def forward",
        """
class Attention(nn.Cell):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.qkv = nn.Dense(4, 12)
    def construct(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return ops.matmul(ops.softmax(ops.matmul(q, k.T) * self.scale, -1), v)
from somewhere import settings
net = Attention(settings.scale)
def forward""",
    )
    + """
def step(x, y):
    (_, loss), grads = grad_fn(x * settings.scale, y)
    grads = scaler.unscale(grads)
    grads = ops.clip_by_global_norm(grads, 1.0)
    opt(grads)
"""
    + LOOP,
    "undecided_gradients_from_elsewhere": PRE
    + """
from somewhere import gradients
scaler = amp.DynamicLossScaler(2**16, 2, 100)
for x, y in data:
    loss, grads = gradients(net, scaler, x, y)
    grads = ops.clip_by_global_norm(grads, 1.0)
    opt(scaler.unscale(grads))
""",
    # --- wrong
    "problem_functional": functional("grads = ops.clip_by_global_norm(grads, 1.0)\ngrads = scaler.unscale(grads)"),
    "problem_by_value_in_a_comprehension": functional(
        "grads = [ops.clip_by_value(g, -1.0, 1.0) for g in grads]\ngrads = scaler.unscale(grads)"
    ),
    "problem_tensor_method": functional(
        "grads = tuple(g.clip(-0.1, 0.1) for g in grads)\ngrads = scaler.unscale(grads)"
    ),
    "problem_clamp_with_map": functional(
        "grads = ops.HyperMap()(ops.partial(ops.clamp, min=-1.0, max=1.0), grads)\ngrads = scaler.unscale(grads)"
    ),
    "problem_norm_by_hand": functional("""
norm = ops.sqrt(sum((g.astype(ms.float32) ** 2).sum() for g in grads))
coefficient = ops.minimum(1.0 / (norm + 1e-6), ms.Tensor(1.0))
grads = [g * coefficient for g in grads]
grads = scaler.unscale(grads)"""),
    "problem_norm_by_hand_if": functional("""
total = 0.0
for g in grads:
    total = total + ops.reduce_sum(ops.square(g))
norm = ops.sqrt(total)
if norm > 5.0:
    grads = [g * (5.0 / norm) for g in grads]
grads = scaler.unscale(grads)"""),
    "problem_divided_by_the_larger_norm": functional("""
norm = ops.norm(ops.stack([ops.norm(g) for g in grads]))
grads = [g / ops.maximum(norm / 1.0, ms.Tensor(1.0)) for g in grads]
grads = scaler.unscale(grads)"""),
    "problem_where": functional("""
grads = [ops.where(ops.norm(g) > 1.0, g / ops.norm(g), g) for g in grads]
grads = scaler.unscale(grads)"""),
    "problem_cell": cell(f"{CLIP}\n{UNSCALE}"),
    "problem_cell_stock_scale": cell(
        "grads = ops.clip_by_global_norm(grads, 1.0)\ngrads = self.hyper_map(ops.partial(_grad_scale, scaling_sens), grads)"
    ),
    "problem_cell_own_clipper": cell(
        f"grads = self.clip(grads)\n{UNSCALE}",
        init="self.clip = Clip(1.0)",
        more="""
class Clip(nn.Cell):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit
    def construct(self, grads):
        return ops.clip_by_global_norm(grads, self.limit)
""",
    ),
    "problem_scale_by_hand": BY_HAND.format(scale=1024.0, first=GLOBAL, second=DIVIDE),
    "problem_scale_is_a_literal": PRE
    + """
def forward(x, y):
    return loss_fn(net(x), y) * 1024.0
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    grads = ops.clip_by_norm(grads, 1.0)
    grads = [g * (1.0 / 1024.0) for g in grads]
    opt(grads)
""",
    "problem_sens": PRE
    + """
class Step(nn.Cell):
    def __init__(self, network, optimizer, scale):
        super().__init__()
        self.network, self.optimizer, self.scale = network, optimizer, scale
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
    def construct(self, x, y):
        loss = self.network(x, y)
        sens = ops.fill(loss.dtype, loss.shape, self.scale)
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, sens)
        grads = ops.clip_by_global_norm(grads, 1.0)
        grads = ops.HyperMap()(ops.partial(ops.mul, 1.0 / self.scale), grads)
        return ops.depend(loss, self.optimizer(grads))
step = Step(nn.WithLossCell(net, loss_fn), opt, 4096.0)
for x, y in data:
    step(x, y)
""",
    "problem_optimizer_unscales": PRE
    + """
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=1024.0)
class Step(nn.TrainOneStepCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        grads = self.grad(self.network, self.weights)(x, y, sens)
        grads = ops.clip_by_global_norm(grads, 1.0)
        return ops.depend(loss, self.optimizer(grads))
step = Step(nn.WithLossCell(net, loss_fn), opt, 1024.0)
model = ms.Model(step)
model.train(3, data)
""",
    "problem_helpers": SCALER
    + """
def reduce_gradients(grads, limit):
    return ops.clip_by_global_norm(grads, limit)
def apply(grads):
    return opt(scaler.unscale(grads))
def step(x, y):
    (_, loss), grads = grad_fn(x, y)
    return apply(reduce_gradients(grads, 0.5))
"""
    + LOOP,
    "problem_accumulated": PRE
    + """
scaler = amp.DynamicLossScaler(2**16, 2, 100)
def forward(x, y):
    return scaler.scale(loss_fn(net(x), y))
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
inner = opt.parameters.clone(prefix="accum", init="zeros")
for i, (x, y) in enumerate(data):
    loss, grads = grad_fn(x, y)
    held = grads if i % 4 == 0 else [a + g for a, g in zip(held, grads)]
    if (i + 1) % 4 == 0:
        held = ops.clip_by_global_norm(held, 1.0)
        opt(scaler.unscale(held))
""",
    "problem_own_optimizer": PRE
    + """
class ClippedMomentum(nn.Momentum):
    def construct(self, gradients):
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        return super().construct(gradients)
opt = ClippedMomentum(net.trainable_params(), 0.1, 0.9, loss_scale=1024.0)
manager = amp.FixedLossScaleManager(1024.0, drop_overflow_update=False)
model = ms.Model(net, loss_fn, opt, loss_scale_manager=manager)
model.train(3, data)
""",
    # --- sound
    "ok_functional": functional("grads = scaler.unscale(grads)\ngrads = ops.clip_by_global_norm(grads, 1.0)"),
    "ok_cell": cell(f"{UNSCALE}\n{CLIP}"),
    "ok_norm_by_hand_if": functional("""
grads = scaler.unscale(grads)
norm = ops.sqrt(sum(ops.reduce_sum(ops.square(g)) for g in grads))
if norm > 5.0:
    grads = [g * (5.0 / norm) for g in grads]"""),
    "ok_threshold_is_scaled_too": functional(
        "grads = ops.clip_by_global_norm(grads, 1.0 * scaler.scale_value)\ngrads = scaler.unscale(grads)"
    ),
    "ok_norm_is_unscaled": functional("""
norm = ops.sqrt(sum((g ** 2).sum() for g in grads)) / scaler.scale_value
coefficient = ops.minimum(1.0 / (norm + 1e-6), ms.Tensor(1.0))
grads = scaler.unscale([g * coefficient for g in grads])"""),
    "ok_clipped_twice_after": functional("""
grads = scaler.unscale(grads)
finite = amp.all_finite(grads)
if finite:
    grads = [ops.clip_by_norm(g, 1.0) for g in grads]"""),
    "ok_scale_by_hand": BY_HAND.format(scale=1024.0, first=DIVIDE, second=GLOBAL),
    "ok_option": SCALER
    + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--clip", type=float, default=1.0)
args = parser.parse_args()
def step(x, y):
    (_, loss), grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    if args.clip > 0:
        grads = ops.clip_by_global_norm(grads, args.clip)
    opt(grads)
"""
    + LOOP,
    # --- not applicable
    "na_no_scale": PRE
    + """
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    grads = ops.clip_by_global_norm(grads, 1.0)
    opt(grads)
""",
    "na_scale_of_one": BY_HAND.format(scale=1.0, first=GLOBAL, second=DIVIDE),
    "na_sens_left_at_one": PRE
    + """
class Step(nn.TrainOneStepCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        grads = self.grad(self.network, self.weights)(x, y, sens)
        grads = ops.clip_by_global_norm(grads, 1.0)
        return ops.depend(loss, self.optimizer(grads))
step = Step(nn.WithLossCell(net, loss_fn), opt)
for x, y in data:
    step(x, y)
""",
    "na_loss_is_clipped": PRE
    + """
scaler = amp.DynamicLossScaler(2**16, 2, 100)
def forward(x, y):
    logits = ops.clip_by_value(net(x), -10.0, 10.0)
    loss = ops.clamp(loss_fn(logits, y), 0.0, 50.0)
    return scaler.scale(loss)
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(scaler.unscale(grads))
"""
    + LOOP,
    "na_norm_for_the_log": functional("""
norm = ops.sqrt(sum((g ** 2).sum() for g in grads))
print(norm)
grads = scaler.unscale(grads)"""),
    "na_weights_are_clipped": functional("""
grads = scaler.unscale(grads)
for p in net.trainable_params():
    ops.assign(p, ops.clip_by_value(p, -0.01, 0.01))"""),
    "na_a_loss_weight_is_no_scale": PRE
    + """
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y) * 32.0, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    grads = ops.clip_by_global_norm(grads, 1.0)
    opt(grads)
""",
    "na_mean_over_accumulated": PRE
    + """
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y).sum(), None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    grads = ops.clip_by_global_norm(grads, 1.0)
    grads = [g / 16.0 for g in grads]
    opt(grads)
""",
    "na_stock": PRE
    + """
manager = amp.DynamicLossScaleManager()
model = ms.Model(net, loss_fn, opt, loss_scale_manager=manager)
model.train(3, data)
""",
    # --- cannot be told
    "undecided_gradients_leave": SCALER
    + """
from somewhere import finish
def step(x, y):
    (_, loss), grads = grad_fn(x, y)
    finish(opt, grads, scaler)
"""
    + LOOP,
    "undecided_no_training": "from somewhere import train\ntrain()\n",
    # tensors changed in place, by a method or an augmented assignment
    "problem_accumulated_by_a_method": SCALER
    + """
held = [ops.zeros_like(p) for p in opt.parameters]
for n, (x, y) in enumerate(data):
    (_, loss), grads = grad_fn(x, y)
    for one, grad in zip(held, grads):
        one.add_(grad)
    if n % 4 == 3:
        opt(scaler.unscale(ops.clip_by_global_norm(tuple(held), 1.0)))
""",
    "ok_accumulated_in_place": SCALER
    + """
held = [ops.zeros_like(p) for p in opt.parameters]
for n, (x, y) in enumerate(data):
    (_, loss), grads = grad_fn(x, y)
    for one, grad in zip(held, scaler.unscale(grads)):
        one += grad
    if n % 4 == 3:
        opt(ops.clip_by_global_norm(tuple(held), 1.0))
""",
    "ok_divided_in_place": functional(
        "for grad in grads:\n    grad.div_(scaler.scale_value)\ngrads = ops.clip_by_global_norm(grads, 1.0)"
    ),
    "problem_divided_in_place_too_late": functional(
        "grads = ops.clip_by_global_norm(grads, 1.0)\nfor grad in grads:\n    grad /= scaler.scale_value"
    ),
}

PENALISED = (
    PRE
    + """
critic = nn.Dense(4, 1)
scaler = amp.DynamicLossScaler(2**16, 2, 100)
{gradient}
def forward(real, fake, mixed):
    {slope}
    norm = ops.sqrt(ops.reduce_sum(slope * slope, 1) + 1e-12)
    {norm}
    penalty = ops.reduce_mean((norm - 1.0) ** 2)
    loss = critic(fake).mean() - critic(real).mean()
    return {result}
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
def step(real, fake, mixed):
    loss, grads = grad_fn(real, fake, mixed)
    opt(scaler.unscale(grads))
for real, fake, mixed in data:
    step(real, fake, mixed)
"""
)


def penalised(
    gradient="slope_fn = ms.grad(lambda x: scaler.scale(critic(x).sum()))",
    slope="slope = slope_fn(mixed)",
    norm="",
    result="scaler.scale(loss + 10.0 * penalty)",
) -> str:
    return PENALISED.format(gradient=gradient, slope=slope, norm=norm, result=result)


PENALTY = {
    "problem_scaled_output": penalised(),
    "problem_sens_is_the_scale": penalised(
        "slope_fn = ops.GradOperation(sens_param=True)(critic)",
        "slope = slope_fn(mixed, ops.ones_like(real) * scaler.scale_value)",
    ),
    "problem_zero_centred": PRE
    + """
scaler = amp.DynamicLossScaler(2**16, 2, 100)
def inner(x, y):
    return scaler.scale(loss_fn(net(x), y))
slope_fn = ms.grad(inner)
def forward(x, y):
    slope = slope_fn(x, y)
    return scaler.scale(loss_fn(net(x), y) + 0.1 * ops.square(slope).sum())
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    opt(scaler.unscale(grads))
""",
    "problem_in_a_cell": PRE
    + """
class Penalised(nn.Cell):
    def __init__(self, net, loss_fn, scale):
        super().__init__()
        self.net, self.loss_fn, self.scale = net, loss_fn, scale
        self.grad = ops.GradOperation(sens_param=False)
    def scaled(self, x, y):
        return self.loss_fn(self.net(x), y) * self.scale
    def construct(self, x, y):
        slope = self.grad(self.scaled)(x, y)
        norm = ops.norm(slope, dim=1)
        return self.loss_fn(self.net(x), y) + 10 * ((norm - 1) ** 2).mean()
manager = nn.DynamicLossScaleUpdateCell(2**16, 2, 100)
network = Penalised(net, loss_fn, manager.get_loss_scale())
step = nn.TrainOneStepWithLossScaleCell(network, opt, manager)
for x, y in data:
    step(x, y)
""",
    "problem_constant_scale": PRE
    + """
SCALE = 1024.0
def scaled(x, y):
    return loss_fn(net(x), y) * SCALE
slope_fn = ms.grad(scaled)
def forward(x, y):
    norm = ops.norm(slope_fn(x, y), dim=1)
    return (loss_fn(net(x), y) + 10.0 * ((norm - 1.0) ** 2).mean()) * SCALE
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    opt([g / SCALE for g in grads])
""",
    "ok_constant_scale": PRE
    + """
SCALE = 1024.0
slope_fn = ms.grad(lambda x, y: loss_fn(net(x), y))
def forward(x, y):
    norm = ops.norm(slope_fn(x, y), dim=1)
    return (loss_fn(net(x), y) + 10.0 * ((norm - 1.0) ** 2).mean()) * SCALE
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    opt([g / SCALE for g in grads])
""",
    "ok_unscaled_output": penalised("slope_fn = ms.grad(lambda x: critic(x).sum())"),
    "ok_divided_before_the_norm": penalised(slope="slope = scaler.unscale(slope_fn(mixed))"),
    "ok_norm_divided": penalised(norm="norm = norm / scaler.scale_value"),
    "ok_stock_scale_cell": PRE
    + """
class Penalised(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.grad = ops.GradOperation()
    def construct(self, x, y):
        slope = self.grad(self.net)(x)
        norm = ops.sqrt((slope * slope).sum(axis=1) + 1e-12)
        return loss_fn(self.net(x), y) + 10 * ((norm - 1) ** 2).mean()
step = nn.TrainOneStepWithLossScaleCell(Penalised(net), opt, nn.DynamicLossScaleUpdateCell(2**16, 2, 100))
for x, y in data:
    step(x, y)
""",
    "na_no_scale": PRE
    + """
slope_fn = ms.grad(lambda x: net(x).sum())
def forward(x, y):
    slope = slope_fn(x)
    return loss_fn(net(x), y) + ((ops.norm(slope) - 1.0) ** 2)
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    opt(grads)
""",
    "na_norm_for_the_log": functional("""
norm = ops.sqrt(sum((g ** 2).sum() for g in grads)) - 1.0
print(norm)
grads = scaler.unscale(grads)"""),
    "na_weight_penalty": SCALER.replace(
        "loss = loss_fn(net(x), y)", "loss = loss_fn(net(x), y) + 0.01 * (net.weight ** 2).sum()"
    )
    + """
for x, y in data:
    (_, loss), grads = grad_fn(x, y)
    opt(scaler.unscale(grads))
""",
    "na_adversarial_input": PRE
    + """
scaler = amp.DynamicLossScaler(2**16, 2, 100)
attack = ms.grad(lambda x, y: loss_fn(net(x), y))
def forward(x, y):
    x = x + 0.03 * ops.sign(attack(x, y))
    return scaler.scale(loss_fn(net(ops.clip_by_value(x, 0.0, 1.0)), y))
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    opt(scaler.unscale(grads))
""",
}
