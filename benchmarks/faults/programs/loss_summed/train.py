import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

X, y = load_digits(return_X_y=True)
X = (X / 8.0 - 1).astype(np.float32)
y = y.astype(np.int32)
train = ds.NumpySlicesDataset((X[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(64)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(64, 64)
        self.fc2 = nn.Dense(64, 10)

    def construct(self, x):
        return self.fc2(ops.relu(self.fc1(x)))


net = Net()
loss_fn = nn.CrossEntropyLoss()
optim = nn.SGD(net.trainable_params(), learning_rate=0.1)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optim.parameters)
for epoch in range(8):
    for a, b in train.create_tuple_iterator():
        loss, g = grad_fn(a, b)
        optim(g)
    acc = (net(ms.Tensor(X[1400:])).asnumpy().argmax(1) == y[1400:]).mean()
    print(epoch, loss, "accuracy", acc)
