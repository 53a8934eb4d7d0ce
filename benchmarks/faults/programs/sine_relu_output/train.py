import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn
from mindspore.train import LossMonitor

np.random.seed(1)
ms.set_seed(1)

x = np.linspace(-np.pi, np.pi, 1000).astype(np.float32).reshape(-1, 1)
y = np.sin(x)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(1, 32)
        self.fc2 = nn.Dense(32, 32)
        self.fc3 = nn.Dense(32, 1)
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


net = Net()
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(50)
opt = nn.Adam(net.trainable_params(), 0.005)
model = Model(net, nn.MSELoss(), opt)
model.train(30, data, callbacks=[LossMonitor(20)], dataset_sink_mode=False)

pred = net(ms.Tensor(x)).asnumpy()
print("mse", ((pred - y) ** 2).mean())
