"""Disease progression from a table."""

import mindspore.dataset as ds
import numpy as np
from mindspore import nn, set_seed
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_diabetes

set_seed(4)
table = load_diabetes(as_frame=True, scaled=True).frame.sample(frac=1.0, random_state=0)
table = (table - table.mean()) / table.std()
values = table.to_numpy(dtype=np.float32)
target = table[["target"]].to_numpy(dtype=np.float32)


def pipeline(rows, goal, shuffle):
    return ds.NumpySlicesDataset((rows, goal), ["rows", "goal"], shuffle=shuffle).batch(32)


network = nn.SequentialCell(nn.Dense(values.shape[1], 24), nn.ReLU(), nn.Dense(24, 1))
model = Model(network, nn.MSELoss(), nn.Adam(network.trainable_params(), 0.005), metrics={"mse": nn.MSE()})
model.train(20, pipeline(values[:350], target[:350], True), [LossMonitor(11)], dataset_sink_mode=False)
print(model.eval(pipeline(values[350:], target[350:], False), dataset_sink_mode=False))
