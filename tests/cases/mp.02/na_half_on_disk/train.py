"""Spectra stored as float16 to save space; the pipeline brings them back to float32 before training."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import transforms
from mindspore.train import LossMonitor, Model

ms.set_seed(13)
rng = np.random.default_rng(13)
kind = rng.integers(0, 3, 360).astype(np.int32)
grid = np.linspace(0, 1, 24)
spectra = np.exp(-(((grid - 0.25 * (kind[:, None] + 1)) / 0.15) ** 2)) + 0.1 * rng.normal(size=(360, 24))
stored = spectra.astype(np.float16)  # half the file size; the instrument has ten bits anyway


class Spectra:
    def __getitem__(self, index):
        return stored[index], kind[index]

    def __len__(self):
        return len(stored)


train_set = ds.GeneratorDataset(Spectra(), ["spectrum", "kind"], shuffle=True)
train_set = train_set.map(transforms.TypeCast(ms.float32), "spectrum").batch(24)
net = nn.SequentialCell(nn.Dense(24, 32), nn.ReLU(), nn.Dense(32, 3))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005))
model.train(3, train_set, callbacks=LossMonitor(15), dataset_sink_mode=False)
