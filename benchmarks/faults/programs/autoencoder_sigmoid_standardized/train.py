import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

x = load_digits().data[:, :].astype(np.float32)
x = StandardScaler().fit_transform(x).astype(np.float32)
x_train, x_test = x[:1500], x[1500:]


class AE(nn.Cell):
    def __init__(self, code=16):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(64, 40), nn.ReLU(), nn.Dense(40, code))
        self.decoder = nn.SequentialCell(nn.Dense(code, 40), nn.ReLU(), nn.Dense(40, 64))

    def construct(self, x):
        return self.decoder(self.encoder(x))


class ReconstructionLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.mse = nn.MSELoss()

    def construct(self, x):
        return self.mse(self.net(x), x)


net = AE()
train = ds.NumpySlicesDataset(x_train, ["x"], shuffle=True).batch(64)
step = nn.TrainOneStepCell(ReconstructionLoss(net), nn.Adam(net.trainable_params(), 0.003))
for epoch in range(12):
    for d in train.create_dict_iterator():
        loss = step(d["x"])
    print("epoch", epoch, loss)
print("test mse", float(((net(ms.Tensor(x_test)).asnumpy() - x_test) ** 2).mean()))
