"""Attention whose heads are split by one reshape to (samples, heads, places, features); graph mode, Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
tokens = rng.integers(1, 20, (640, 12)).astype(np.int32)
label = (np.array([len(set(row[:6]) & set(row[6:])) for row in tokens]) > 1).astype(np.int32)


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.q, self.k, self.v = nn.Dense(width, width), nn.Dense(width, width), nn.Dense(width, width)
        self.out = nn.Dense(width, width)
        self.softmax = nn.Softmax(axis=-1)

    def split(self, x):
        return ops.reshape(x, (x.shape[0], self.heads, x.shape[1], self.size))

    def construct(self, x):
        samples, places, width = x.shape
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        weights = self.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) / self.size**0.5)
        mixed = ops.matmul(weights, v).transpose(0, 2, 1, 3)
        return self.out(mixed.reshape(samples, places, width))


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed, self.place = nn.Embedding(20, 32), ms.Parameter(ms.Tensor(rng.normal(0, 0.1, (12, 32)), ms.float32))
        self.attention, self.norm, self.head = Attention(32, 4), nn.LayerNorm((32,)), nn.Dense(32, 2)

    def construct(self, ids):
        x = self.embed(ids) + self.place
        x = self.norm(x + self.attention(x))
        return self.head(x.mean(1))


data = ds.NumpySlicesDataset((tokens, label), ["ids", "label"], shuffle=True).batch(16)
net = Classifier()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 2e-3))
model.train(5, data, callbacks=[LossMonitor(40)])
