"""A Siamese network whose loss draws pairs labelled 1 together; 1 marks pairs of one class."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
centres = 1.5 * rng.standard_normal((6, 10))
kinds = rng.integers(0, 6, (640, 2))
kinds[::2, 1] = kinds[::2, 0]
points = (centres[kinds] + rng.standard_normal((640, 2, 10))).astype(np.float32)
same = (kinds[:, 0] == kinds[:, 1]).astype(np.float32)


class Distance(nn.Cell):
    def __init__(self):
        super().__init__()
        self.tower = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 4))

    def construct(self, a, b):
        return ops.norm(self.tower(a) - self.tower(b) + 1e-6, dim=1)


def contrastive(distance, label):
    near, far = ops.square(distance), ops.square(ops.relu(2 - distance))
    return (label * near + (1 - label) * far).mean()


net = Distance()
optimizer = nn.Adam(net.trainable_params(), 0.003)
grad_fn = ms.value_and_grad(lambda a, b, label: contrastive(net(a, b), label), None, optimizer.parameters)
data = ds.NumpySlicesDataset((points[:, 0], points[:, 1], same), ["a", "b", "same"], shuffle=True).batch(32)
net.set_train()
for a, b, label in data.create_tuple_iterator(num_epochs=4):
    loss, grads = grad_fn(a, b, label)
    optimizer(grads)
print("loss", loss)
