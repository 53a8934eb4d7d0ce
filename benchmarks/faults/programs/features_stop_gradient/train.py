import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

digits = load_digits()
X = (digits.images[:, None] / 16).astype(np.float32)
y = digits.target.astype(np.int32)
train = ds.GeneratorDataset([(a, b) for a, b in zip(X[:1400], y[:1400])], ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, pad_mode="valid")
        self.conv2 = nn.Conv2d(4, 4, 3, stride=2, pad_mode="valid")
        self.classifier = nn.Dense(16, 10)

    def features(self, x):
        x = ops.relu(self.conv1(x))
        x = ops.relu(self.conv2(x))
        return x.reshape(x.shape[0], -1)

    def construct(self, x):
        h = self.features(x)
        return self.classifier(h)


net = Net()
criterion = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), learning_rate=0.005)


def forward(x, t):
    return criterion(net(x), t)


grad_fn = ms.value_and_grad(forward, None, net.trainable_params())
for epoch in range(6):
    for x, t in train.create_tuple_iterator():
        loss, grads = grad_fn(x, t)
        opt(grads)
    print(epoch, loss, "acc", (net(ms.Tensor(X[1400:])).asnumpy().argmax(1) == y[1400:]).mean())
