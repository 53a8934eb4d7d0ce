"""Estimates blood pressure from laboratory values; gaps are filled with the column's median."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(8)
rng = np.random.default_rng(8)
raw = rng.normal(size=(600, 5)).astype(np.float32)
pressure = (raw @ np.array([0.6, 0.2, -0.5, 0.1, 0.3], np.float32)).reshape(-1, 1)
raw[rng.random(raw.shape) < 0.1] = np.nan
median = np.nanmedian(raw, axis=0)


def fill(values):
    return np.where(np.isnan(values), median, values).astype(np.float32)


train_set = ds.NumpySlicesDataset({"lab": raw, "pressure": pressure}, shuffle=True)
train_set = train_set.map(fill, input_columns=["lab"]).batch(30)

net = nn.SequentialCell(nn.Dense(5, 16), nn.ReLU(), nn.Dense(16, 1))
cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.005))
cell.set_train()
iterator = train_set.create_tuple_iterator()
for epoch in range(3):
    for lab, value in iterator:
        loss = cell(lab, value)
    print("epoch", epoch, "last loss", float(loss))
