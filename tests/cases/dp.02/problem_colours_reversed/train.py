"""Sorts coloured tiles with a compiled step; the test tiles come from a reader with another order of colours."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(35)


class Tiles:
    """Reads tiles as red, green, blue, or, as the old reader did, the other way round."""

    def __init__(self, seed, size, old_reader=False):
        rng = np.random.default_rng(seed)
        self.kind = rng.integers(0, 2, size).astype(np.int32)
        tiles = rng.normal(0.5, 0.15, (size, 3, 8, 8)) + np.array([0.25, 0.0, -0.2])[:, None, None]
        tiles[self.kind == 1, :, :4] += 0.1
        self.tiles = tiles.astype(np.float32)[:, ::-1] if old_reader else tiles.astype(np.float32)

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, index):
        return self.tiles[index], self.kind[index]


net = nn.SequentialCell(nn.Flatten(), nn.Dense(192, 24), nn.ReLU(), nn.Dense(24, 2))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


train_set = ds.GeneratorDataset(Tiles(5, 320), ["tile", "kind"], shuffle=True).batch(32)
test_set = ds.GeneratorDataset(Tiles(6, 96, old_reader=True), ["tile", "kind"], shuffle=False).batch(32)
batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    net.set_train(True)
    for x, y in batches:
        loss = train_step(x, y)
    net.set_train(False)
    right = sum(int((net(x).argmax(axis=1) == y).sum()) for x, y in test_set.create_tuple_iterator())
    print(f"epoch {epoch}: loss {float(loss):.3f}, right {right / 96:.0%}")
