"""Segmentation with a Dice coefficient that is minimised as it is; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
images = rng.normal(size=(64, 1, 8, 8)).astype(np.float32)
masks = (images > 0.6).astype(np.float32)
data = ds.NumpySlicesDataset((images, masks), ["image", "mask"], shuffle=True).batch(8)


class DiceLoss(nn.Cell):
    def construct(self, logits, target):
        p = ops.sigmoid(logits)
        return (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)


net = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 1, 1))
model = ms.Model(net, DiceLoss(), nn.Adam(net.trainable_params(), 1e-2))
model.train(2, data, callbacks=[ms.train.LossMonitor()])
