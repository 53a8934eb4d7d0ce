"""A regression of house-like prices; static loss scale through the manager, as in the GPU recipe."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Callback, Model
from sklearn.datasets import make_friedman1

ms.set_seed(9)


class Losses(Callback):
    def on_train_epoch_end(self, run_context):
        params = run_context.original_args()
        print("epoch", params.cur_epoch_num, "loss", float(params.net_outputs.asnumpy()))


x, y = make_friedman1(n_samples=480, n_features=6, noise=0.5, random_state=9)
x = (2 * x - 1).astype(np.float32)
y = ((y - y.mean()) / y.std()).astype(np.float32).reshape(-1, 1)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(6, 24), nn.Tanh(), nn.Dense(24, 1, has_bias=False))
net = net.to_float(ms.float16)
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005, eps=1e-6)
manager = ms.amp.FixedLossScaleManager(1024, drop_overflow_update=False)


class Float32MSE(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mse = nn.MSELoss()

    def construct(self, prediction, target):
        return self.mse(prediction.astype(ms.float32), target)


model = Model(net, Float32MSE(), optimizer, loss_scale_manager=manager)
model.train(3, train_set, callbacks=[Losses()], dataset_sink_mode=False)
