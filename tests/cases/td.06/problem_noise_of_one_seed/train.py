"""Curves are to be told apart under noise, which an operation of the pipeline adds to each as it is read."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(4)
times = np.linspace(0, 1, 40)


class Noisy:
    """Adds noise to a curve."""

    def __init__(self, size, seed):
        self.size, self.seed = size, seed

    def _draws(self):
        return np.random.default_rng(self.seed)

    def _added(self, length):
        return self._draws().normal(0, self.size, length)

    def __call__(self, curve):
        return (curve + self._added(len(curve))).astype(np.float32)


def curves(count, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, count).astype(np.int32)
    return np.sin(2 * np.pi * (2 + kinds[:, None]) * times + rng.uniform(0, 6.28, (count, 1))), kinds


def pipeline(count, seed, noise):
    data = ds.NumpySlicesDataset(curves(count, seed), ["curve", "kind"], shuffle=True)
    return data.map(noise, input_columns="curve").batch(20)


network = nn.SequentialCell(nn.Dense(40, 48), nn.ReLU(), nn.Dense(48, 3))
model = ms.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.003), metrics={"accuracy"})
model.train(8, pipeline(400, 1, Noisy(0.8, 7)), callbacks=ms.LossMonitor(80), dataset_sink_mode=False)
tested, kinds = curves(300, 2)
tested = (tested + np.random.default_rng(9).normal(0, 0.8, tested.shape)).astype(np.float32)
network.set_train(False)
print("right:", float((network(ms.Tensor(tested)).asnumpy().argmax(1) == kinds).mean()))
