"""Ids from 0; padded_batch fills up with 0; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(72)


def melodies(size=200):
    """Notes from 0 to 11, of 5 to 16 beats."""
    rng = np.random.default_rng(72)
    for _ in range(size):
        key = rng.integers(0, 2)
        yield ((rng.integers(0, 6, rng.integers(5, 17)) * 2 + key) % 12).astype(np.int32), np.int32(key)


class Ear(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(12, 8)
        self.head = nn.Dense(8, 2)

    def construct(self, notes):
        return self.head(self.table(notes).mean(axis=1))


data = ds.GeneratorDataset(melodies, ["notes", "key"], shuffle=False).shuffle(200)
data = data.padded_batch(20, drop_remainder=True, pad_info={"notes": ([16], 0)})
net = Ear()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(2, data, dataset_sink_mode=False)
