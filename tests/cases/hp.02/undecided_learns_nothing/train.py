"""Model.fit on labels of chance: curves as flat as could be wished, at the level of a constant prediction."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Loss, Model

ms.set_seed(25)
rng = np.random.default_rng(25)
x = rng.normal(size=(900, 3)).astype(np.float32)
y = rng.integers(0, 3, 900).astype(np.int32)
train_set = ds.NumpySlicesDataset((x[:600], y[:600]), ["x", "y"], shuffle=True).batch(40)
valid_set = ds.NumpySlicesDataset((x[600:], y[600:]), ["x", "y"], shuffle=False).batch(100)
net = nn.Dense(3, 3)
model = Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.02), metrics={"loss": Loss()})
model.fit(8, train_set, valid_set, dataset_sink_mode=False, valid_dataset_sink_mode=False)
