import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

digits = load_digits()
x = (digits.images / 16.0).astype(np.float32)[:, None]
y = digits.target.astype(np.int32)
train = ds.NumpySlicesDataset((x[:1400], y[:1400]), ["image", "label"], shuffle=True).batch(32)
test = ds.NumpySlicesDataset((x[1400:], y[1400:]), ["image", "label"], shuffle=False).batch(64)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten())
        self.dropout = nn.Dropout(p=0.6)
        self.fc = nn.Dense(12 * 16, 10)

    def construct(self, x):
        return self.fc(self.dropout(self.features(x)))


def train_loop(model, dataset, loss_fn, optimizer):
    def forward_fn(data, label):
        logits = model(data)
        return loss_fn(logits, label), logits

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)
    model.set_train()
    for batch, (data, label) in enumerate(dataset.create_tuple_iterator()):
        (loss, _), grads = grad_fn(data, label)
        optimizer(grads)
        if batch % 20 == 0:
            print(f"loss: {loss.asnumpy():>7f}")


def test_loop(model, dataset):
    model.set_train(False)
    total, correct = 0, 0
    for data, label in dataset.create_tuple_iterator():
        pred = model(data)
        total += len(data)
        correct += (pred.argmax(1) == label).asnumpy().sum()
    print(f"Test accuracy: {100 * correct / total:>0.1f}%")


model = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(model.trainable_params(), 2e-3)
for t in range(6):
    train_loop(model, train, loss_fn, optimizer)
    test_loop(model, test)
