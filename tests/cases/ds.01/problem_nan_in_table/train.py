"""Predicts the energy use of buildings from a table of readings."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(11)
ms.set_context(mode=ms.GRAPH_MODE)
rng = np.random.default_rng(11)


def read_table(rows=640):
    features = rng.normal(size=(rows, 6)).astype(np.float32)
    usage = features @ np.array([0.5, -1.0, 0.3, 0.0, 0.8, -0.2], np.float32)
    target = usage + 0.1 * rng.normal(size=rows).astype(np.float32)
    # the humidity sensor was offline for some of the hours
    features[rng.random(rows) < 0.06, 3] = np.nan
    return features, target.reshape(-1, 1).astype(np.float32)


features, target = read_table()
train_set = ds.NumpySlicesDataset((features, target), ["features", "usage"], shuffle=True)
train_set = train_set.batch(32, drop_remainder=True)

net = nn.SequentialCell(nn.Dense(6, 24), nn.ReLU(), nn.Dense(24, 1))
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), learning_rate=0.005))
model.train(3, train_set, dataset_sink_mode=False)
print("done")
