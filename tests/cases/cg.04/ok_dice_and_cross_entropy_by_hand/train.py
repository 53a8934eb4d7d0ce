"""Dice and cross entropy in one function of the script's own; the Dice coefficient is reported beside it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
images = rng.normal(size=(64, 1, 8, 8)).astype(np.float32)
masks = (images > 0.6).astype(np.float32)
data = ds.NumpySlicesDataset((images, masks), ["image", "mask"], shuffle=True).batch(8)
net = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 1, 1))
optimizer = nn.Adam(net.trainable_params(), 1e-2)


def dice(logits, target):
    p = ops.sigmoid(logits)
    return (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)


def criterion(logits, target):
    entropy = ops.relu(logits) - logits * target + ops.log(1 + ops.exp(-ops.abs(logits)))
    return 1 - dice(logits, target) + entropy.mean()


def forward(image, target):
    logits = net(image)
    return criterion(logits, target), dice(logits, target)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
net.set_train()
for epoch in range(3):
    for image, target in data.create_tuple_iterator(num_epochs=1):
        (loss, score), grads = grad_fn(image, target)
        optimizer(grads)
    print(epoch, float(loss), float(score))
