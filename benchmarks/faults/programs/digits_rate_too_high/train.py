import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

config = {
    "epochs": 8,
    "batch": 32,
    "lr": 0.002,
}

x, y = load_digits(return_X_y=True)
x = x.astype(np.float32) / 16.0
y = y.astype(np.int32)
perm = np.random.permutation(len(x))
x, y = x[perm], y[perm]
train = ds.NumpySlicesDataset((x[:1500], y[:1500]), ["x", "y"], shuffle=True).batch(config["batch"])


class MLP(nn.Cell):
    def __init__(self):
        super().__init__()
        self.f1 = nn.Dense(64, 100)
        self.f2 = nn.Dense(100, 50)
        self.f3 = nn.Dense(50, 10)

    def construct(self, x):
        x = ops.relu(self.f1(x))
        x = ops.relu(self.f2(x))
        return self.f3(x)


net = MLP()
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Adam(net.trainable_params(), learning_rate=config["lr"])
net_with_loss = nn.WithLossCell(net, loss_fn)
train_net = nn.TrainOneStepCell(net_with_loss, optimizer)
train_net.set_train(True)

for epoch in range(config["epochs"]):
    for d in train.create_dict_iterator():
        loss = train_net(d["x"], d["y"])
    print("Epoch", epoch, "loss", loss)

net.set_train(False)
out = net(ms.Tensor(x[1500:])).asnumpy().argmax(axis=1)
print("test accuracy:", (out == y[1500:]).mean())
