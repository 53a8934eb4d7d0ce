import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

rng = np.random.RandomState(0)
n = 600
area = rng.uniform(30, 300, n)
rooms = rng.randint(1, 8, n)
year = rng.uniform(1950, 2020, n)
income = rng.normal(52000, 14000, n)
price = 0.9 * area / 100 + 0.3 * rooms + 0.02 * (year - 1950) + income / 40000 + rng.normal(0, 0.1, n)

X = np.stack([area, rooms, year, income], axis=1).astype(np.float32)
y = price.astype(np.float32).reshape(-1, 1)
X = (X - X.mean(axis=0)) / X.std(axis=0)

split = 480
train = ds.NumpySlicesDataset((X[:split], y[:split]), column_names=["data", "label"], shuffle=True).batch(32)

net = nn.SequentialCell([nn.Dense(4, 64), nn.ReLU(), nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 1)])
loss_net = nn.WithLossCell(net, nn.MSELoss())
step = nn.TrainOneStepCell(loss_net, nn.Adam(net.trainable_params(), learning_rate=1e-3))
step.set_train()

for epoch in range(40):
    total, count = 0.0, 0
    for data, label in train.create_tuple_iterator():
        total += float(step(data, label).asnumpy())
        count += 1
    print("epoch %d loss %.4f" % (epoch + 1, total / count))

net.set_train(False)
pred = net(ms.Tensor(X[split:])).asnumpy()
print("test MAE", np.abs(pred - y[split:]).mean())
