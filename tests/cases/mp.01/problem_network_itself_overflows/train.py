"""Attention-like scores without the 1/sqrt(d), in float16, with a dynamic loss scale in Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_seed(57)

rng = np.random.default_rng(57)
x = rng.normal(size=(1600, 12, 8)).astype(np.float32)
y = (x[:, 0, 0] + x[:, -1, 1] > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self, width=64):
        super().__init__()
        self.inner = nn.Dense(8, width)
        self.query = nn.Dense(width, width)
        self.key = nn.Dense(width, width)
        self.out = nn.Dense(width, 2)
        self.sharpness = 4000.0
        self.to_float(ms.float16)

    def construct(self, x):
        x = self.inner(x)
        scores = ops.matmul(self.query(x) * self.sharpness, self.key(x).swapaxes(1, 2) * 16)
        weights = ops.softmax(scores, axis=-1)
        return self.out(ops.matmul(weights, x).mean(axis=1)).astype(ms.float32)


net = Net()
model = Model(
    net,
    nn.CrossEntropyLoss(),
    nn.Adam(net.trainable_params(), learning_rate=1e-3),
    loss_scale_manager=ms.DynamicLossScaleManager(init_loss_scale=1024, scale_window=100),
)
model.train(2, train_set, dataset_sink_mode=False)
print("done")
