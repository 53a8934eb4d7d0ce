"""A data module puts its inputs into a drawn order and forgets the labels; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(11)


class Module:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        centres = 2 * rng.standard_normal((3, 8))
        self.labels = np.tile(np.arange(3), 200).astype(np.int32)
        self.inputs = (centres[self.labels] + rng.standard_normal((600, 8))).astype(np.float32)
        order = rng.permutation(len(self.inputs))
        self.inputs = self.inputs[order]

    def batches(self):
        data = ds.NumpySlicesDataset((self.inputs, self.labels), ["inputs", "label"], shuffle=True)
        return data.batch(30, drop_remainder=True)


net = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
batches = Module(11).batches().create_tuple_iterator()
for epoch in range(6):
    for x, y in batches:
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss))
