import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(9)
rng = np.random.default_rng(9)
SIDE = 18


def scene(kind):
    """A bright disc on a coloured ground; where it lies and its colour make the kind."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    ground = np.ones((SIDE, SIDE, 3)) * rng.uniform(0, 0.4, 3)
    at = (5 if kind % 2 else 12) + rng.integers(-1, 2)
    disc = (rows - at) ** 2 + (columns - rng.integers(5, 13)) ** 2 < 12
    ground[disc] = (0.9, 0.3, 0.2) if kind > 1 else (0.2, 0.4, 0.9)
    return (ground + 0.05 * rng.normal(size=ground.shape)).astype(np.float32)


kinds = rng.integers(0, 4, 640).astype(np.int32)
scenes = np.stack([scene(kind) for kind in kinds])


def prepare(picture):
    return np.transpose((picture - 0.3) / 0.25, [2, 0, 1])


def batches():
    data = ds.NumpySlicesDataset((scenes, kinds), ["picture", "kind"], shuffle=True)
    return data.map(prepare, "picture").batch(32)


net = nn.SequentialCell(
    nn.Conv2d(3, 8, 3),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Conv2d(8, 16, 3),
    nn.ReLU(),
    nn.Flatten(),
    nn.Dense(16 * 81, 4),
)
optimizer = nn.Adam(net.trainable_params(), 0.002)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(3):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        loss, gradients = step(x, y)
        optimizer(gradients)
    print(epoch, loss)
