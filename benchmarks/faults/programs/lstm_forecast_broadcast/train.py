import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(7)
t = np.arange(0, 120, 0.1)
series = np.sin(t) + 0.1 * np.random.RandomState(0).randn(len(t))

window = 20
X, Y = [], []
for i in range(len(series) - window):
    X.append(series[i : i + window])
    Y.append(series[i + window])
X = np.array(X, dtype=np.float32)[..., None]
Y = np.array(Y, dtype=np.float32)

train_set = ds.NumpySlicesDataset((X[:900], Y[:900]), ["x", "y"], shuffle=True).batch(32, drop_remainder=True)


class LSTMNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 16, batch_first=True)
        self.fc = nn.Dense(16, 1)

    def construct(self, x):
        out, _ = self.lstm(x)
        return self.fc(out[:, -1, :]).squeeze(-1)


net = LSTMNet()
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
step.set_train()
for epoch in range(6):
    for x, y in train_set.create_tuple_iterator():
        loss = step(x, y)
    print("epoch", epoch, "loss", loss.asnumpy())

net.set_train(False)
pred = net(ms.Tensor(X[900:])).asnumpy().ravel()
print("test mse", np.mean((pred - Y[900:]) ** 2))
