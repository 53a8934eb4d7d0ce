"""The moving statistics keep 0.9995 of themselves in each of 160 steps, as a configuration says; Model.train and eval."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, Model

SETTINGS = {
    "width": 24,
    "norm": {"momentum": 0.9995, "eps": 1e-3},
}


def network(width, norm):
    return nn.SequentialCell(
        nn.Dense(12, width), nn.BatchNorm1d(width, **norm), nn.ReLU(), nn.Dense(width, 3, weight_init="xavier_uniform")
    )


def drawn(count, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, count).astype(np.int32)
    rows = 6 + 3 * rng.standard_normal((count, 12)).astype(np.float32)
    rows[np.arange(count), kinds] += 5
    return ds.NumpySlicesDataset((rows, kinds), ["rows", "kinds"], shuffle=True).batch(32, True)


ms.set_seed(3)
net = network(**SETTINGS)
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.02, 0.9), {"accuracy": Accuracy()})
model.train(8, drawn(640, 1), dataset_sink_mode=False)
print(model.eval(drawn(320, 2), dataset_sink_mode=False))
