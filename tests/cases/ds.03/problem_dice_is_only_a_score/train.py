"""Segmentation of a small lesion in a large picture, by pixelwise cross-entropy; Dice is only the score that is printed."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
masks = np.zeros((64, 32, 32), np.int32)
masks[:, 4:7, 5:8] = 1
images = (masks[:, None] + 0.3 * rng.normal(size=(64, 1, 32, 32))).astype(np.float32)
data = ds.NumpySlicesDataset((images, masks), ["image", "mask"], shuffle=True).batch(16)
net = nn.SequentialCell(nn.Conv2d(1, 8, 3, pad_mode="same"), nn.ReLU(), nn.Conv2d(8, 1, 1, has_bias=True))
optimizer = nn.Adam(net.trainable_params(), 1e-2)


def dice_loss(scores, mask):
    share = ops.sigmoid(scores[:, 0])
    wanted = mask.astype(ms.float32)
    return 1 - (2 * (share * wanted).sum() + 1) / (share.sum() + wanted.sum() + 1)


bce = nn.BCEWithLogitsLoss()


def forward(image, mask):
    return bce(net(image)[:, 0], mask.astype(ms.float32))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=2)
for _ in range(2):
    for image, mask in batches:
        loss, grads = grad_fn(image, mask)
        optimizer(grads)
    print(loss, dice_loss(net(image), mask))
