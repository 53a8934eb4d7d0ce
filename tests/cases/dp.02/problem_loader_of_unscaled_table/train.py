"""House prices from a table; one function makes the data sets of training and test."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import Model
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

ms.set_seed(5)
rng = np.random.default_rng(5)
area, age, rooms = rng.uniform(40, 240, 600), rng.uniform(0, 80, 600), rng.integers(1, 9, 600)
features = np.stack([area, age, rooms], axis=1)
prices = 0.02 * area - 0.01 * age + 0.1 * rooms + rng.normal(0, 0.05, 600)
known, new, known_prices, new_prices = train_test_split(features, prices, test_size=0.25, random_state=5)
known = StandardScaler().fit_transform(known)


def loader(table, targets, size, shuffle=False):
    columns = (table.astype(np.float32), targets.astype(np.float32).reshape(-1, 1))
    return NumpySlicesDataset(columns, ["features", "price"], shuffle=shuffle).batch(size)


network = nn.SequentialCell(nn.Dense(3, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Adam(network.trainable_params(), learning_rate=0.01)
model = Model(network, nn.MSELoss(), optimizer, metrics={"mae"})
model.train(20, loader(known, known_prices, size=30, shuffle=True), dataset_sink_mode=False)
print(model.eval(loader(new, new_prices, size=50), dataset_sink_mode=False))
