from dataclasses import dataclass

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits


@dataclass
class Config:
    hidden: int = 48
    lr: float = 0.05
    epochs: int = 6
    batch_size: int = 40


cfg = Config()
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
onehot = np.eye(10, dtype=np.float32)[y]
train = ds.NumpySlicesDataset((X[:1400], onehot[:1400]), ["x", "y"], shuffle=True).batch(cfg.batch_size)


class CrossEntropy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(axis=1)

    def construct(self, logits, target):
        p = self.softmax(logits)
        return -(target * ops.log(p + 1e-8)).sum(axis=1).mean()


net = nn.SequentialCell(nn.Dense(64, cfg.hidden), nn.ReLU(), nn.Dense(cfg.hidden, 10))
step = nn.TrainOneStepCell(nn.WithLossCell(net, CrossEntropy()), nn.Momentum(net.trainable_params(), cfg.lr, 0.9))
for e in range(cfg.epochs):
    for a, b in train.create_tuple_iterator():
        loss = step(a, b)
    acc = (net(ms.Tensor(X[1400:])).asnumpy().argmax(1) == y[1400:]).mean()
    print(e, loss, "accuracy", acc)
