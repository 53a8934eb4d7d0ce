"""One input from 1 to 100, exactly ten times what needs no second look."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(45)
x = np.arange(1, 101, dtype=np.float32)[:, None]
y = (0.02 * x + 1).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(10)  # here
net = nn.Dense(1, 1)
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 1e-4)).train(3, data, dataset_sink_mode=False)
