"""Compresses handwritten digits to eight codes of a book."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.common.initializer import Uniform, initializer
from sklearn.datasets import load_digits

ms.set_seed(7)
pixels = (load_digits().data / 8 - 1).astype(np.float32)


class CodeBook(nn.Cell):
    def __init__(self, codes, size):
        super().__init__()
        self.size = size
        self.book = ms.Parameter(initializer(Uniform(0.5), [codes, size], ms.float32), name="book")

    def construct(self, latent):
        rows = latent.reshape(-1, self.size)
        distances = ((rows.expand_dims(1) - self.book.expand_dims(0)) ** 2).sum(axis=-1)
        nearest = distances.argmin(axis=1)
        picked = ops.gather(self.book, nearest, 0).reshape(latent.shape)
        moved = ((picked - ops.stop_gradient(latent)) ** 2).mean()
        committed = ((ops.stop_gradient(picked) - latent) ** 2).mean()
        return picked, moved + 0.25 * committed


class Compressor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 32))
        self.codes = CodeBook(32, 4)
        self.decoder = nn.SequentialCell(nn.Dense(32, 64), nn.ReLU(), nn.Dense(64, 64))

    def construct(self, pixels):
        passed, extra = self.codes(self.encoder(pixels))
        return self.decoder(passed), extra


network = Compressor()
optimizer = nn.Adam(network.trainable_params(), 1e-3)


def loss_of(pixels):
    again, extra = network(pixels)
    return ((again - pixels) ** 2).mean() + extra


step = ms.value_and_grad(loss_of, None, optimizer.parameters)
pipeline = ds.NumpySlicesDataset({"pixels": pixels}, shuffle=True).batch(64, drop_remainder=True)
for epoch in range(12):
    for (batch,) in pipeline.create_tuple_iterator(num_epochs=1):
        loss, gradients = step(batch)
        optimizer(gradients)
    print(f"epoch {epoch + 1}: {float(loss):.4f}")
