"""Every style of training step is found, counted and described; nothing else is taken for one."""

import pytest

COMMON = """
import sys
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import amp, nn, ops
ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
ms.set_seed(1)

class Source:
    def __init__(self):
        r = np.random.RandomState(0)
        self.x = r.randn(64, 8).astype(np.float32)
        self.y = r.randint(0, 3, 64).astype(np.int32)
    def __getitem__(self, i):
        return self.x[i], self.y[i]
    def __len__(self):
        return 64

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(8, 16)
        self.norm = nn.BatchNorm1d(16)
        self.head = nn.Dense(16, 3)
    def construct(self, x):
        return self.head(ops.relu(self.norm(self.body(x))))

def batches():
    return ds.GeneratorDataset(Source(), ["x", "label"], shuffle=True).batch(16)

net = Net()
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.1)
net.set_train()
"""

FUNCTIONAL = """
def forward(x, y):
    return loss_fn(net(x), y)
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)
    return loss
DECORATE
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        print(float(step(x, y).asnumpy()))
"""

TRAINER = """
class Trainer:
    def __init__(self):
        self.net, self.loss, self.opt = net, loss_fn, opt
        self.grad = ms.value_and_grad(self.forward, None, self.opt.parameters)
    def forward(self, x, y):
        return self.loss(self.net(x), y)
    @ms.jit
    def step(self, x, y):
        loss, grads = self.grad(x, y)
        self.opt(grads)
        return loss
trainer = Trainer()
for epoch in range(2):
    for row in batches().create_dict_iterator(num_epochs=1):
        print(float(trainer.step(row["x"], row["label"]).asnumpy()))
"""

OWN_CELL = """
class Own(nn.Cell):
    def __init__(self):
        super().__init__()
        self.network, self.optimizer, self.weights = nn.WithLossCell(net, loss_fn), opt, opt.parameters
        self.grad = ops.GradOperation(get_by_list=True)
    def construct(self, x, y):
        loss = self.network(x, y)
        return ops.depend(loss, self.optimizer(self.grad(self.network, self.weights)(x, y)))
own = Own()
own.set_train()
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        print(float(own(x, y).asnumpy()))
"""

GRAD_OPERATION = """
with_loss = nn.WithLossCell(net, loss_fn)
gradient = ops.GradOperation(get_by_list=True)(with_loss, opt.parameters)
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        loss = with_loss(x, y)
        opt(gradient(x, y))
        print(float(loss.asnumpy()))
"""

SCALER = """
net.to_float(ms.float16)
scaler = amp.DynamicLossScaler(2**20, 2, 3)
def forward(x, y):
    return scaler.scale(loss_fn(net(x).astype(ms.float32), y))
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
def step(x, y):
    loss, grads = grad_fn(x, y)
    good = amp.all_finite(grads)
    if good:
        opt(scaler.unscale(grads))
    scaler.adjust(good)
    return scaler.unscale(loss)
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        before = float(scaler.scale_value.asnumpy())
        loss = step(x, y)
        print("SCALE", before, float(scaler.scale_value.asnumpy()))
"""

VALUE_AND_GRAD_CELL = """
gradients = nn.ForwardValueAndGrad(nn.WithLossCell(net, loss_fn), opt.parameters, get_by_list=True)
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        loss, grads = gradients(x, y)
        opt(grads)
        print(float(loss.asnumpy()))
"""

GRADIENT_CELL = """
class Gradients(nn.Cell):
    def __init__(self, network, weights):
        super().__init__(auto_prefix=False)
        self.network, self.weights, self.operation = network, weights, ops.GradOperation(get_by_list=True)
    def construct(self, x, y):
        return self.operation(self.network, self.weights)(x, y)
with_loss = nn.WithLossCell(net, loss_fn)
gradients = Gradients(with_loss, opt.parameters)
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        loss = with_loss(x, y)
        opt(gradients(x, y))
        print(float(loss.asnumpy()))
"""

APART_COMPILED = """
def forward(x, y):
    return loss_fn(net(x), y)
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
@ms.jit
def gradients(x, y):
    return grad_fn(x, y)
@ms.jit
def update(grads):
    return opt(grads)
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        loss, grads = gradients(x, y)
        update(grads)
        print(float(loss.asnumpy()))
"""

CASES = {
    "apart_compiled": (APART_COMPILED, "functional"),
    "value_and_grad_cell": (VALUE_AND_GRAD_CELL, "functional"),
    "gradient_cell": (GRADIENT_CELL, "functional"),
    "functional": (FUNCTIONAL.replace("DECORATE", ""), "functional"),
    "jit": (FUNCTIONAL.replace("DECORATE", "step = ms.jit(step)"), "jit"),
    "trainer": (TRAINER, "jit"),
    "own": (OWN_CELL, "cell"),
    "gradoperation": (GRAD_OPERATION, "functional"),
}


def _printed(out: str) -> list:
    return [float(line) for line in out.splitlines() if line.replace(".", "").replace("e-", "").isdigit()]


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("name", list(CASES))
def test_each_style(scripts, name: str, mode: str) -> None:
    text, style = CASES[name]
    scripts.write(COMMON + text)
    ran = scripts.observed(mode)
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    rows = scripts.rows()
    assert len(rows) == 8
    assert [int(r["epoch"]) for r in rows] == [1] * 4 + [2] * 4
    if not (name == "gradoperation" and mode == "pynative"):
        assert [float(r["loss"]) for r in rows] == pytest.approx(_printed(ran.out), rel=1e-6)
    steps = scripts.json("facts/train_step.json")["steps"]
    assert [(s["style"], s["count"]) for s in steps] == [(style, 8)]
    parameters = {
        p["name"].split(".", 1)[-1] if name == "own" else p["name"]: p
        for p in scripts.json("facts/parameters.json")["parameters"]
    }
    assert len(parameters) == 8
    assert sum(bool(p["in_optimizer"]) for p in parameters.values()) == 6
    networks = scripts.json("facts/network.json")["networks"]
    assert "Net" in {n["class"] for n in networks}
    train = [p for p in scripts.json("facts/modes.json")["phases"] if p["phase"] == "train"]
    assert train
    assert all(d["training"] for p in train for d in p["dependent"])
    sampled = scripts.rows("gradients.csv")
    assert {r["parameter"] for r in sampled} == {p["name"] for p in parameters.values() if p["in_optimizer"]}


WITHOUT_OPTIMIZER = """
weights = net.trainable_params()
def forward(x, y):
    return loss_fn(net(x), y)
grad_fn = ms.value_and_grad(forward, None, weights)
def step(x, y):
    loss, grads = grad_fn(x, y)
    for weight, gradient in zip(weights, grads):
        ops.assign_sub(weight, 0.1 * gradient)
    return loss
COMPILED
source = Source()
for number in range(8):
    rows = slice(8 * number, 8 * number + 8)
    print(float(step(ms.Tensor(source.x[rows]), ms.Tensor(source.y[rows])).asnumpy()))
"""


BARE_PARAMETERS = """
w = ms.Parameter(ms.Tensor(np.zeros((8, 3)), ms.float32), name="w")
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(ops.matmul(x, w) * GAIN, y), None, [w])
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        loss, (grad,) = grad_fn(x, y)
        w.set_data(w - 0.1 * grad)
        print(float(loss.asnumpy()))
"""


@pytest.mark.parametrize(
    "text",
    [
        WITHOUT_OPTIMIZER.replace("COMPILED", "step = ms.jit(step)"),
        WITHOUT_OPTIMIZER.replace("COMPILED", ""),
        BARE_PARAMETERS.replace("GAIN", "1.0"),
        BARE_PARAMETERS.replace("GAIN", "0.0"),  # their gradients are zero, and they stay as they are
    ],
)
def test_weights_that_the_script_changes_itself(scripts, text: str) -> None:
    start = COMMON.replace("opt = nn.SGD(net.trainable_params(), 0.1)\n", "")
    scripts.write(start + text)
    ran = scripts.observed("pynative")
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    assert [float(row["loss"]) for row in scripts.rows()] == pytest.approx(_printed(ran.out), rel=1e-6)


APART = """
class Gradients(nn.Cell):
    def __init__(self, network, weights, sums):
        super().__init__(auto_prefix=False)
        self.network, self.sums = network, sums
        self.grad = ms.value_and_grad(self.network, None, weights)
    def construct(self, x, y):
        loss, found = self.grad(x, y)
        for total, one in zip(self.sums, found):
            ops.assign_add(total, one)
        return loss
class Update(nn.Cell):
    def __init__(self, optimizer, sums):
        super().__init__(auto_prefix=False)
        self.optimizer, self.sums = optimizer, sums
    def construct(self):
        return self.optimizer(self.sums)
class Clear(nn.Cell):
    def __init__(self, sums):
        super().__init__(auto_prefix=False)
        self.sums = sums
    def construct(self):
        for total in self.sums:
            ops.assign(total, ops.zeros_like(total))
        return True
sums = opt.parameters.clone(prefix="sum", init="zeros")
gradients, update, clear = Gradients(nn.WithLossCell(net, loss_fn), opt.parameters, sums), Update(opt, sums), Clear(sums)
for epoch in range(2):
    for number, (x, y) in enumerate(batches().create_tuple_iterator(num_epochs=1)):
        print(float(gradients(x, y).asnumpy()))
        if number % 2:
            update()
            clear()
"""


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_gradients_that_one_cell_adds_up_and_another_gives_to_the_optimizer(scripts, mode: str) -> None:
    scripts.write(COMMON + APART)
    ran = scripts.observed(mode)
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    assert [float(row["loss"]) for row in scripts.rows()] == pytest.approx(_printed(ran.out)[1::2], rel=1e-6)
    (step,) = scripts.json("facts/train_step.json")["steps"]
    assert (step["style"], step["count"], step["accumulation"]) == ("functional", 4, 2)
    assert {network["class"] for network in scripts.json("facts/network.json")["networks"]} == {"Net"}
    assert [p["phase"] for p in scripts.json("facts/modes.json")["phases"]] == ["train"]
    assert scripts.rows("gradients.csv")


LATER = """
class Step(nn.Cell):
    def __init__(self, net, optimizer):
        super().__init__(auto_prefix=False)
        self.net, self.optimizer, self.weights = net, optimizer, optimizer.parameters
        self.sums = self.weights.clone(prefix="sum", init="zeros")
        self.grad = ms.value_and_grad(self.scaled, None, self.weights)
    def scaled(self, x, y):
        return loss_fn(self.net(x), y) * 8.0
    COMPILED
    def METHOD(self, x, y):
        loss, found = self.grad(x, y)
        for total, one in zip(self.sums, found):
            ops.assign_add(total, one)
        return loss / 8.0
    def apply(self):
        self.optimizer(tuple(one.value() / 8.0 for one in self.sums))
        for total in self.sums:
            ops.assign(total, ops.zeros_like(total))
step = Step(net, opt)
for epoch in range(2):
    for number, (x, y) in enumerate(batches().create_tuple_iterator(num_epochs=1)):
        print(float(step.METHOD(x, y).asnumpy()))
        if number % 2:
            step.apply()
"""


@pytest.mark.parametrize(("compiled", "method"), [("", "construct"), ("@ms.jit", "construct"), ("@ms.jit", "add")])
def test_a_cell_that_updates_in_another_method(scripts, compiled: str, method: str) -> None:
    code = LATER.replace("COMPILED", compiled).replace("METHOD", method)
    scripts.write(COMMON + code.replace("step.construct(", "step("))
    ran = scripts.observed("pynative")
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    assert [float(row["loss"]) for row in scripts.rows()] == pytest.approx(_printed(ran.out)[1::2], rel=1e-6)
    (step,) = scripts.json("facts/train_step.json")["steps"]
    assert (step["style"], step["count"], step["accumulation"]) == ("functional", 4, 2)
    assert scripts.rows("gradients.csv")


IN_TURN = """
for rounds in (2, 1):
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), nn.SGD(net.trainable_params(), 0.01))
    for epoch in range(rounds):
        for x, y in batches().create_tuple_iterator(num_epochs=1):
            print(float(step(x, y).asnumpy()))
"""


def test_one_training_after_the_other_adds_up_no_gradients(scripts) -> None:
    """Of the optimizers each counts its own updates: the steps of the whole run are those of all together."""
    scripts.write(COMMON + IN_TURN)
    ran = scripts.observed("pynative")
    assert ran.status == 0, ran.err
    entries = scripts.json("facts/train_step.json")["steps"]
    assert sum(one["count"] for one in entries) == len(_printed(ran.out))
    assert {one["accumulation"] for one in entries} == {1}


@pytest.mark.versions
def test_a_dynamic_loss_scaler_is_followed_step_by_step(scripts) -> None:
    scripts.write(COMMON + SCALER)
    ran = scripts.observed("pynative")
    assert ran.status == 0, ran.err
    told = [tuple(map(float, line.split()[1:])) for line in ran.out.splitlines() if line.startswith("SCALE")]
    rows = scripts.rows()
    assert [(float(r["scale"]), float(r["next_scale"])) for r in rows] == told
    assert [r["overflow"] for r in rows] == ["1" if after < before else "0" for before, after in told]
    assert "1" in {r["overflow"] for r in rows}


def test_an_optimizer_put_into_a_training_cell_later_is_seen_at_once(scripts) -> None:
    later = "for epoch in range(2):\n    own.optimizer = nn.SGD(opt.parameters, 0.1 / 10**epoch)\n"
    scripts.write(COMMON + OWN_CELL.replace("for epoch in range(2):\n", later))
    assert scripts.observed("pynative").status == 0
    scripts.no_own_errors()
    assert [float(row["lr"]) for row in scripts.rows()] == pytest.approx([0.1] * 4 + [0.01] * 4)


def test_what_looking_at_data_took_is_recorded(scripts) -> None:
    scripts.write(COMMON + FUNCTIONAL.replace("DECORATE", ""))
    assert scripts.observed().status == 0
    cost = scripts.json("facts/datasets.json")["cost"]
    assert 0 < cost["seconds"] < cost["of_seconds"]


def test_inference_alone_is_no_training(scripts) -> None:
    scripts.write(
        COMMON + "net.set_train(False)\nfor x, y in batches().create_tuple_iterator(num_epochs=1):\n    net(x)\n"
    )
    assert scripts.observed("pynative").status == 0
    assert scripts.json("run.json")["training_steps"] == 0
    assert scripts.json("facts/datasets.json")["datasets"][0]["role"] == "eval"


BY_HAND = {
    "model": """
from mindspore.train import Model
from msprec import PrecisionMonitor
data = batches()
Model(net, loss_fn, opt).train(2, data, callbacks=[PrecisionMonitor(out="elsewhere")], dataset_sink_mode=False)
""",
    "loop": FUNCTIONAL.replace("DECORATE", "import msprec\nmonitor = msprec.watch(net, opt, out='elsewhere')")
    .replace(
        "in batches().create_tuple_iterator(num_epochs=1)", "in monitor.batches(batches().create_tuple_iterator())"
    )
    .replace(
        "print(float(step(x, y).asnumpy()))", "loss = step(x, y); monitor.step(loss); print(float(loss.asnumpy()))"
    ),
}


@pytest.mark.parametrize("way", sorted(BY_HAND))
def test_monitors_of_the_users_own_write_into_the_run_and_nothing_twice(scripts, way) -> None:
    scripts.write(COMMON + BY_HAND[way])
    ran = scripts.observed()
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    rows = scripts.rows()
    assert [int(row["step"]) for row in rows] == list(range(1, 9))
    assert all(row["loss"] and row["seconds"] and row["lr"] for row in rows)
    assert not (scripts.folder / "elsewhere").exists()
    assert scripts.json("facts/train_step.json")["steps"][0]["count"] == 8


@pytest.mark.parametrize(
    "first",
    [
        "import msprec; msprec.enable_loss_scale_on_cpu()",
        "from msprec.callbacks import LossScaleMonitor",
        "from msprec import watch",
    ],
)
def test_a_script_may_import_msprec_before_mindspore(scripts, first) -> None:
    scripts.write(first + "\n" + COMMON + FUNCTIONAL.replace("DECORATE", ""))
    ran = scripts.observed()
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    assert len(scripts.rows()) == 8
