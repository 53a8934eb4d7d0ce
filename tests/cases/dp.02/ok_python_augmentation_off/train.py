"""One Python transform with a switch: noise and shifts in training, only the standardisation in the test."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(38)
MEAN, STD = np.float32(20.0), np.float32(4.0)


class Prepare:
    def __init__(self, training):
        self.training = training

    def __call__(self, wave):
        wave = (wave - MEAN) / STD
        if self.training:
            wave = np.roll(wave, np.random.randint(0, 3)) + np.random.normal(0, 0.1, wave.shape).astype(np.float32)
        return wave


def waves(seed, size):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, size).astype(np.int32)
    time = np.arange(32, dtype=np.float32)
    wave = 20 + 4 * np.sin(time * (0.3 + 0.4 * kind[:, None])) + rng.normal(0, 1, (size, 32))
    return wave.astype(np.float32), kind


def make(seed, size, training):
    dataset = ds.NumpySlicesDataset(waves(seed, size), ["wave", "kind"], shuffle=training)
    return dataset.map(Prepare(training), input_columns="wave").batch(32)


net = nn.SequentialCell(nn.Dense(32, 16), nn.ReLU(), nn.Dense(16, 2))
cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.01))
train_set, test_set = make(8, 320, True), make(9, 96, False)
for epoch in range(2):
    cell.set_train(True)
    for wave, kind in train_set.create_tuple_iterator():
        loss = cell(wave, kind)
    cell.set_train(False)
    right = sum(int((net(wave).argmax(axis=1) == kind).sum()) for wave, kind in test_set.create_tuple_iterator())
    print("epoch", epoch, float(loss), right / 96)
