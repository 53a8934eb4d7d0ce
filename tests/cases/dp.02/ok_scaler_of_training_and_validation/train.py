"""One scaler, fitted to the hours of training and validation, another to the targets of the test; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from mindspore.train import Model


class StandardScaler:
    def fit(self, values):
        self.mean, self.std = values.mean(0), values.std(0)
        return self

    def transform(self, values):
        return ((values - self.mean) / self.std).astype(np.float32)


def windows(series):
    x = np.stack([series[at : at + 12] for at in range(len(series) - 12)])
    return x, series[12:, :1]


ms.set_seed(2)
rng = np.random.default_rng(2)
hours = np.arange(900)
load = 50 + 9 * np.sin(2 * np.pi * hours / 24) + 0.02 * hours + rng.normal(0, 0.5, 900)
wind = 6 + 2 * np.sin(2 * np.pi * hours / 36) + rng.normal(0, 0.2, 900)
series = np.stack([load, wind], axis=1)
hours_train, hours_val, hours_test = series[:500], series[500:700], series[700:]
train_val = np.concatenate([hours_train, hours_val])
scaler = StandardScaler().fit(train_val)
x, y = windows(scaler.transform(hours_train))
x_test, y_test = windows(scaler.transform(hours_test))
spread = StandardScaler().fit(y_test)
print("spread of the targets", spread.std)

net = nn.SequentialCell(nn.Flatten(), nn.Dense(24, 24), nn.ReLU(), nn.Dense(24, 1))
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01)).train(5, data, dataset_sink_mode=False)
net.set_train(False)
error = np.abs(net(Tensor(x_test)).asnumpy() - y_test).mean()
print("mean error", error)
