"""A small CNN that leaves padding, bias, epsilon and approximation to MindSpore's defaults, ported from nowhere."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(107)
rng = np.random.default_rng(107)
y = rng.integers(0, 4, 256).astype(np.int32)
x = (rng.normal(size=(4, 1, 12, 12))[y] + 0.8 * rng.normal(size=(256, 1, 12, 12))).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.bn2 = nn.BatchNorm2d(16)
        self.pool = nn.MaxPool2d(2, 2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.drop = nn.Dropout(p=0.2)
        self.fc1 = nn.Dense(16 * 9, 32)
        self.ln = nn.LayerNorm((32,))
        self.gelu = nn.GELU()
        self.fc2 = nn.Dense(32, 4)

    def construct(self, x):
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        x = self.pool(self.relu(self.bn2(self.conv2(x))))
        return self.fc2(self.drop(self.gelu(self.ln(self.fc1(self.flatten(x))))))


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)


def forward_fn(data, label):
    logits = net(data)
    return loss_fn(logits, label), logits


grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


def train_step(data, label):
    (loss, _), grads = grad_fn(data, label)
    optimizer(grads)
    return loss


def train_loop(dataset):
    net.set_train()
    for data, label in dataset.create_tuple_iterator():
        loss = train_step(data, label)
    return float(loss)


def test_loop(dataset):
    net.set_train(False)
    c = n = 0
    for data, label in dataset.create_tuple_iterator():
        p = net(data)
        c += (p.argmax(1) == label).asnumpy().sum()
        n += len(data)
    return c / n


train = ds.NumpySlicesDataset((x[:192], y[:192]), ["data", "label"], shuffle=True).batch(16)
test = ds.NumpySlicesDataset((x[192:], y[192:]), ["data", "label"], shuffle=False).batch(16)
for t in range(5):
    print(t, train_loop(train), test_loop(test))
