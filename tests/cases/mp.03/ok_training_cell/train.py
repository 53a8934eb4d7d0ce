"""Three classes in float16 with a training cell of one's own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(33)
rng = np.random.default_rng(33)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 3)).to_float(ms.float16)


class Loss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cross_entropy = nn.CrossEntropyLoss()

    def construct(self, logits, y):
        return self.cross_entropy(logits.astype(ms.float32), y)


clip_gradient = ops.MultitypeFuncGraph("clip_gradient")
unscale_gradient = ops.MultitypeFuncGraph("unscale_gradient")


@clip_gradient.register("Number", "Tensor")
def _clip(limit, gradient):
    return ops.clip_by_value(gradient, -limit, limit)


@unscale_gradient.register("Tensor", "Tensor")
def _unscale(scale, gradient):
    return gradient * ops.reciprocal(scale).astype(gradient.dtype)


class ClippedStep(nn.TrainOneStepWithLossScaleCell):
    def construct(self, *inputs):
        weights = self.weights
        loss = self.network(*inputs)
        scale = self.scale_sense
        status, scale = self.start_overflow_check(loss, scale)
        filled = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        grads = self.grad(self.network, weights)(*inputs, filled)
        grads = self.hyper_map(ops.partial(unscale_gradient, scale), grads)
        grads = self.hyper_map(ops.partial(clip_gradient, 0.5), grads)
        grads = self.grad_reducer(grads)
        overflow = self.process_loss_scale(self.get_overflow_status(status, grads))
        if not overflow:
            loss = ops.depend(loss, self.optimizer(grads))
        return loss, overflow, scale


optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
update = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**10, scale_factor=2, scale_window=50)
step = ClippedStep(nn.WithLossCell(net, Loss()), optimizer, scale_sense=update)
step.set_train()
for epoch in range(2):
    for x, y in train_set.create_tuple_iterator():
        loss, overflow, scale = step(x, y)
    print(epoch, float(loss))
