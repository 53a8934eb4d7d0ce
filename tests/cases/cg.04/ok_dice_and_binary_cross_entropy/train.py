"""Dice and MindSpore's own binary cross entropy of probabilities, in one loss: nothing beyond 0 and 1 may be tried on it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
masks = np.zeros((32, 1, 8, 8), np.float32)
masks[:, :, 2:5, 3:6] = 1
images = (masks + 0.3 * rng.normal(size=masks.shape)).astype(np.float32)
data = ds.NumpySlicesDataset((images, masks), ["image", "mask"], shuffle=True).batch(8)
net = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 1, 1), nn.Sigmoid())


class Overlap(nn.LossBase):
    """Both, added up."""

    def __init__(self):
        super().__init__()
        self.entropy = nn.BCELoss(reduction="mean")

    def construct(self, shares, wanted):
        both = ops.reduce_sum(shares * wanted)
        dice = 1 - (2 * both + 1e-5) / (ops.reduce_sum(shares) + ops.reduce_sum(wanted) + 1e-5)
        return dice + self.entropy(shares, wanted)


Model(net, Overlap(), nn.Adam(net.trainable_params(), 1e-2)).train(4, data, dataset_sink_mode=False)
