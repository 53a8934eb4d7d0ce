"""A sparse layer: which weights there are is drawn once and for all, in training and inference alike."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(320, 12)).astype(np.float32)
y = (x[:, :3].sum(1) > 0).astype(np.int32)


class SparseDense(nn.Cell):
    def __init__(self, inputs, outputs, share=0.3):
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor(rng.normal(0, 0.3, (inputs, outputs)), ms.float32), name="weight")
        self.present = ms.Tensor((np.random.rand(inputs, outputs) < share).astype(np.float32))

    def construct(self, x):
        return ops.matmul(x, self.weight * self.present)


net = nn.SequentialCell(SparseDense(12, 32), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(32, 2))
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)).train(3, data, callbacks=[LossMonitor(20)])
