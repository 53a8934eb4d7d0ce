"""Pictures mixed with each other and their targets with them; a softmax layer, and a cross entropy of its probabilities."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_digits

ms.set_seed(5)
np.random.seed(5)
images, labels = load_digits(return_X_y=True)
images = (images / 16).astype(np.float32)
targets = np.eye(10, dtype=np.float32)[labels]

net = nn.SequentialCell(nn.Dense(64, 96), nn.ReLU(), nn.Dense(96, 10), nn.Softmax())
optimizer = nn.Adam(net.trainable_params(), 2e-3)


def categorical_crossentropy(expected, found):
    return -(expected * ops.log(ops.clamp(found, 1e-7, 1.0))).sum(1).mean()


def forward(x, t):
    return categorical_crossentropy(t, net(x))


gradients = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(8):
    order = np.random.permutation(1500)
    for start in range(0, 1500, 50):
        rows = order[start : start + 50]
        others, share = np.random.permutation(rows), np.random.beta(0.3, 0.3)
        x = share * images[rows] + (1 - share) * images[others]
        t = share * targets[rows] + (1 - share) * targets[others]
        loss, grads = gradients(Tensor(x, ms.float32), Tensor(t, ms.float32))
        optimizer(grads)
    print(epoch + 1, float(loss))
print("accuracy", (net(Tensor(images[1500:])).asnumpy().argmax(1) == labels[1500:]).mean())
