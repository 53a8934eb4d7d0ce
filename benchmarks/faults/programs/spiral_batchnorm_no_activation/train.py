import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model

rng = np.random.RandomState(0)
n = 400
pts, lab = [], []
for k in range(3):
    r = np.linspace(0.05, 1, n)
    t = np.linspace(k * 4, (k + 1) * 4, n) + rng.randn(n) * 0.2
    pts.append(np.c_[r * np.sin(t), r * np.cos(t)])
    lab.append(np.full(n, k))
X = np.concatenate(pts).astype(np.float32)
y = np.concatenate(lab).astype(np.int32)

layers = []
width = [2, 64, 64]
for a, b in zip(width[:-1], width[1:]):
    layers += [nn.Dense(a, b), nn.BatchNorm1d(b), nn.ReLU()]
layers.append(nn.Dense(64, 3))
net = nn.SequentialCell(*layers)
data = ds.NumpySlicesDataset({"x": X, "y": y}, shuffle=True).batch(30)
model = Model(
    net,
    nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    nn.Adam(net.trainable_params(), learning_rate=0.005),
    metrics={"Accuracy": Accuracy()},
)
model.train(20, data, callbacks=LossMonitor(40), dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
