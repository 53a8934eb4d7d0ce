"""A classifier of small images in one SequentialCell; between the last two Dense layers stands a Dropout and no activation."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(8)
rng = np.random.default_rng(8)
labels = rng.integers(0, 4, 320).astype(np.int32)
images = (rng.normal(size=(4, 1, 8, 8))[labels] + rng.normal(size=(320, 1, 8, 8))).astype(np.float32)

net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Flatten(),
    nn.Dense(128, 64),
    nn.Dropout(p=0.2),
    nn.Dense(64, 4),
)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

net.set_train()
for epoch in range(2):
    order = rng.permutation(len(labels))
    for start in range(0, len(labels), 32):
        picked = order[start : start + 32]
        loss, grads = gradient(Tensor(images[picked]), Tensor(labels[picked]))
        optimizer(grads)
    print(epoch, float(loss))
