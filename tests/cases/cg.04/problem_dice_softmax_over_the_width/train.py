"""Segmentation with cross-entropy and Dice: the softmax in the Dice term keeps its default axis, the width; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_seed(5)
rng = np.random.default_rng(5)
masks = np.repeat(np.repeat(rng.integers(0, 3, (96, 4, 3)), 2, 1), 2, 2).astype(np.int32)
images = (np.eye(3)[masks].transpose(0, 3, 1, 2) + 0.5 * rng.normal(size=(96, 3, 8, 6))).astype(np.float32)
data = ds.NumpySlicesDataset((images, masks), ["image", "mask"], shuffle=True).batch(16)


class SegmentationLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cross_entropy = nn.CrossEntropyLoss()

    def construct(self, scores, mask):
        shares = ops.softmax(scores)  # here
        wanted = ops.one_hot(mask, 3, ms.Tensor(1.0, ms.float32), ms.Tensor(0.0, ms.float32), axis=1)
        overlap = (shares * wanted).sum((0, 2, 3))
        dice = 2 * overlap / (shares.sum((0, 2, 3)) + wanted.sum((0, 2, 3)) + 1e-5)
        return self.cross_entropy(scores, mask) + 0.5 * (1 - dice.mean())


net = nn.SequentialCell(
    nn.Conv2d(3, 8, 3, pad_mode="same", has_bias=True), nn.ReLU(), nn.Conv2d(8, 3, 1, has_bias=True)
)
Model(net, SegmentationLoss(), nn.Adam(net.trainable_params(), 1e-2)).train(3, data, dataset_sink_mode=False)
