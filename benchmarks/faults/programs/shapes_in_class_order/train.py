import mindspore as ms
import numpy as np
from mindspore import nn

rng = np.random.RandomState(0)


def circle():
    yy, xx = np.mgrid[:16, :16]
    c, r = rng.uniform(5, 11, 2), rng.uniform(3, 5)
    return (((yy - c[0]) ** 2 + (xx - c[1]) ** 2) < r * r).astype(np.float32)


def square():
    img = np.zeros((16, 16), np.float32)
    a, b, s = rng.randint(1, 7), rng.randint(1, 7), rng.randint(5, 9)
    img[a : a + s, b : b + s] = 1
    return img


def cross():
    img = np.zeros((16, 16), np.float32)
    a, b = rng.randint(4, 12, 2)
    img[a - 1 : a + 1] = 1
    img[:, b - 1 : b + 1] = 1
    return img


images = np.stack([circle() for _ in range(300)] + [square() for _ in range(300)] + [cross() for _ in range(300)])
images = images[:, None] + 0.1 * rng.randn(900, 1, 16, 16).astype(np.float32)
images = images.astype(np.float32)
labels = np.repeat([0, 1, 2], 300).astype(np.int32)
perm = rng.permutation(900)
images, labels = images[perm], labels[perm]

net = nn.SequentialCell(
    nn.Conv2d(1, 6, 3),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Conv2d(6, 8, 3),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Flatten(),
    nn.Dense(8 * 16, 3),
)
loss_fn = nn.CrossEntropyLoss()
opt = nn.Momentum(net.trainable_params(), 0.05, 0.9)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
bs = 30
for epoch in range(4):
    net.set_train()
    for i in range(0, 900, bs):
        xb = ms.Tensor(images[i : i + bs])
        yb = ms.Tensor(labels[i : i + bs])
        loss, grads = grad_fn(xb, yb)
        opt(grads)
    net.set_train(False)
    acc = (net(ms.Tensor(images)).asnumpy().argmax(1) == labels).mean()
    print("epoch", epoch, "loss", float(loss), "acc", acc)
