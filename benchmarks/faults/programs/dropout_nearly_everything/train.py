import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_wine

X, y = load_wine(return_X_y=True)
X = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
y = y.astype(np.int32)
order = np.random.RandomState(0).permutation(len(y))
X, y = X[order], y[order]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d1 = nn.Dense(13, 16)
        self.drop1 = nn.Dropout(p=0.1)
        self.d2 = nn.Dense(16, 16)
        self.drop2 = nn.Dropout(p=0.1)
        self.d3 = nn.Dense(16, 3)

    def construct(self, x):
        x = self.drop1(ops.relu(self.d1(x)))
        x = self.drop2(ops.relu(self.d2(x)))
        return self.d3(x)


net = Net()
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 0.005)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
data = ds.NumpySlicesDataset((X[:140], y[:140]), ["x", "y"], shuffle=True).batch(14)
for epoch in range(25):
    net.set_train(True)
    for a, b in data.create_tuple_iterator():
        loss, g = grad_fn(a, b)
        opt(g)
    net.set_train(False)
    if epoch % 5 == 4:
        print(epoch, loss, "accuracy", (net(ms.Tensor(X[140:])).asnumpy().argmax(1) == y[140:]).mean())
