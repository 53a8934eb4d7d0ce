"""One dropout of 0.7 behind each of two narrow layers: what the thinned network learns is not what the whole one does."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(8)
rng = np.random.default_rng(8)
inputs = rng.normal(size=(1600, 8)).astype(np.float32)
targets = (
    2 * np.sin(inputs[:, :1]) + inputs[:, 1:2] * inputs[:, 2:3] + inputs[:, 3:4] + 0.1 * rng.normal(size=(1600, 1))
)
targets = ((targets - targets.mean()) / targets.std()).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Dense(8, 24), nn.Dense(24, 24), nn.Dense(24, 1)
        self.relu = nn.ReLU()
        self.drop = nn.Dropout(p=0.7)

    def construct(self, x):
        x = self.drop(self.relu(self.first(x)))
        x = self.drop(self.relu(self.second(x)))
        return self.last(x)


net = Net()
data = NumpySlicesDataset((inputs, targets), ["x", "y"], shuffle=True).batch(32)
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 3e-3))
model.train(50, data, dataset_sink_mode=False)
made = model.predict(ms.Tensor(inputs)).asnumpy()
print("mean squared error", float(((made - targets) ** 2).mean()))
