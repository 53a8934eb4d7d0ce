"""One device; the files are listed unsorted, which harms nobody here."""

import os

import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

os.makedirs("parts")
rng = np.random.default_rng(66)
for number in range(4):
    np.save(f"parts/{number}.npy", rng.normal(size=(20, 3)).astype(np.float32))
rows = np.concatenate([np.load(os.path.join("parts", name)) for name in os.listdir("parts")])
net = nn.Dense(2, 1)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01))
model.train(
    1, ds.NumpySlicesDataset((rows[:, :2], rows[:, 2:]), ["x", "y"], shuffle=True).batch(10), dataset_sink_mode=False
)
