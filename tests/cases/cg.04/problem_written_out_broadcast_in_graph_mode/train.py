"""Squares are written out in a network that gives its loss; the scaled targets are (N,), the predictions (N, 1)."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
features = rng.normal(size=(64, 6)).astype(np.float32)
targets = (features.sum(1) * 3 + 5).astype(np.float32)
data = ds.NumpySlicesDataset((features, targets), ["x", "y"], shuffle=True).batch(16)


class Regressor(nn.Cell):
    """Two layers and the loss."""

    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(6, 8), nn.Tanh(), nn.Dense(8, 1))

    def construct(self, x, y):
        return ops.reduce_mean(ops.square(self.body(x) - (y - 5.0) / 3.0))


net = Regressor()
ms.Model(net, optimizer=nn.Adam(net.trainable_params(), 1e-2)).train(3, data, dataset_sink_mode=False)
