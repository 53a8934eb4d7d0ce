"""Four micro-batches an update, with a cell that adds gradients up and a cell that updates the weights with their sum."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import ParameterTuple, nn, ops
from sklearn.datasets import load_digits

ms.set_seed(67)
MICRO_BATCHES = 4

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)[:640]
train_set = ds.NumpySlicesDataset(
    (images, digits.target.astype(np.int32)[:640]), ["image", "label"], shuffle=True
).batch(16)

add_to = ops.MultitypeFuncGraph("add_to")
set_to = ops.MultitypeFuncGraph("set_to")


@add_to.register("Tensor", "Tensor")
def _add_to(total, gradient):
    return ops.assign_add(total, gradient)


@set_to.register("Tensor", "Tensor")
def _set_to(total, value):
    return ops.depend(True, ops.assign(total, value))


class Collect(nn.Cell):
    """Adds the gradients of one micro-batch to their sum."""

    def __init__(self, network, optimizer, total):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.total = network, optimizer, total
        self.weights = optimizer.parameters
        self.network.set_grad()
        self.gradient, self.each = ops.GradOperation(get_by_list=True), ops.HyperMap()

    def construct(self, image, label):
        loss = self.network(image, label)
        gradients = self.gradient(self.network, self.weights)(image, label)
        return ops.depend(loss, self.each(add_to, self.total, gradients))


class Update(nn.Cell):
    """Updates the weights with the mean of the gradients and begins a new sum."""

    def __init__(self, optimizer, total, zeros):
        super().__init__(auto_prefix=False)
        self.optimizer, self.total, self.zeros = optimizer, total, zeros
        self.each = ops.HyperMap()

    def construct(self):
        done = self.optimizer(tuple([total / MICRO_BATCHES for total in self.total]))
        return ops.depend(done, self.each(set_to, ops.depend(self.total, done), self.zeros))


net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="same"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(128, 10)
)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
weights = ParameterTuple(net.trainable_params())
total, zeros = weights.clone(prefix="total", init="zeros"), weights.clone(prefix="zeros", init="zeros")
collect = Collect(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer, total).set_train()
update = Update(optimizer, total, zeros).set_train()
for epoch in range(4):
    for number, (image, label) in enumerate(train_set.create_tuple_iterator(num_epochs=1), start=1):
        loss = collect(image, label)
        if number % MICRO_BATCHES == 0:
            update()
    print(f"epoch {epoch}: {float(loss.asnumpy()):.3f}")
