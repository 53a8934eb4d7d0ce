"""A functional loop over sequences that padded_batch fills up behind, where msprec.toml wants them filled up in front."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(75)
rng = np.random.default_rng(75)
LENGTH = 14


def sentences():
    for _ in range(192):
        kind = int(rng.integers(0, 2))
        words = rng.integers(1 + 20 * kind, 30 + 20 * kind, rng.integers(4, LENGTH + 1)).astype(np.int32)
        yield words, np.int32(kind)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(60, 12)
        self.head = nn.Dense(12, 2)

    def construct(self, ids):
        kept = (ids != 0).astype(ms.float32).expand_dims(-1)
        return self.head((self.table(ids) * kept).sum(axis=1) / kept.sum(axis=1))


data = ds.GeneratorDataset(list(sentences()), ["ids", "kind"], shuffle=True)
data = data.padded_batch(16, True, pad_info={"ids": ([LENGTH], 0), "kind": ([], 0)})
net = Net()
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)
step = ms.value_and_grad(lambda ids, kind: loss_fn(net(ids), kind), None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for ids, kind in data.create_tuple_iterator(num_epochs=1):
        loss, grads = step(ids, kind)
        optimizer(grads)
    print(epoch, float(ops.stop_gradient(loss)))
