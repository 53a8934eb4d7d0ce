"""Six measured quantities, read one after the other, are to stand side by side in each row."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(9)
rng = np.random.default_rng(9)
QUANTITIES, COUNT = 6, 800
measured = [rng.normal(size=COUNT) + np.sin(np.arange(COUNT) / (5 + one)) for one in range(QUANTITIES)]
target = (measured[0] * measured[1] + measured[3] > 0).astype(np.int32)

table = np.stack([measured[one] - measured[one].mean() for one in range(QUANTITIES)])
rows = table.reshape((COUNT, QUANTITIES)).astype(np.float32)
data = ds.NumpySlicesDataset({"row": rows, "target": target}, shuffle=True).batch(32)
network = nn.SequentialCell(nn.Dense(QUANTITIES, 24), nn.ReLU(), nn.Dense(24, 2))
model = Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.005))
model.train(6, data, callbacks=[LossMonitor(25)], dataset_sink_mode=False)
