import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore.train import LossMonitor, Model
from sklearn.datasets import make_circles

X, y = make_circles(n_samples=1000, noise=0.05, factor=0.5, random_state=3)
train = ds.NumpySlicesDataset(
    (X.astype(np.float32), y.astype(np.float32).reshape(-1, 1)), ["x", "y"], shuffle=True
).batch(20)


class CircleModel(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer_1 = nn.Dense(2, 16)
        self.layer_2 = nn.Dense(16, 16)
        self.layer_3 = nn.Dense(16, 1)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.layer_3(self.relu(self.layer_2(self.relu(self.layer_1(x)))))


net = CircleModel()
model = Model(net, nn.BCEWithLogitsLoss(), nn.SGD(net.trainable_params(), learning_rate=0.1))
model.train(25, train, callbacks=LossMonitor(50), dataset_sink_mode=False)
logits = net(ms.Tensor(X.astype(np.float32))).asnumpy().ravel()
print("accuracy", ((logits > 0) == y).mean())
