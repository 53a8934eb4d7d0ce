"""Segmentation by Model.train: the scores of all pixels are reshaped to rows of classes, the channels still in front."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(6)
rng = np.random.default_rng(6)
pictures = rng.normal(0, 0.3, (96, 1, 10, 10)).astype(np.float32)
masks = np.zeros((96, 10, 10), np.int32)
for picture, mask in zip(pictures, masks):
    for number in (1, 2, 3):
        top, left = rng.integers(0, 7, 2)
        picture[0, top : top + 3, left : left + 3] = number
        mask[top : top + 3, left : left + 3] = number
train_set = ds.NumpySlicesDataset((pictures, masks), ["picture", "mask"], shuffle=True).batch(16)


class PixelLoss(nn.LossBase):
    def __init__(self):
        super().__init__()
        self.entropy = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, scores, mask):
        rows = scores.view(-1, 4)
        return self.entropy(rows, mask.view(-1))


net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, has_bias=True), nn.ReLU(), nn.Conv2d(8, 8, 3, has_bias=True), nn.ReLU(), nn.Conv2d(8, 4, 1, has_bias=True)
)  # fmt: skip
Model(net, PixelLoss(), nn.Adam(net.trainable_params(), 5e-3)).train(3, train_set)
