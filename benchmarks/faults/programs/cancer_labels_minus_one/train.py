import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_breast_cancer

d = load_breast_cancer()
X = ((d.data - d.data.mean(0)) / d.data.std(0)).astype(np.float32)
Y = d.target.astype(np.float32).reshape(-1, 1)
net = nn.SequentialCell(nn.Dense(30, 20), nn.ReLU(), nn.Dense(20, 1), nn.Sigmoid())
data = ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=True).batch(16)
model = Model(net, nn.BCELoss(reduction="mean"), nn.Adam(net.trainable_params(), 0.001))
model.train(12, data, callbacks=[LossMonitor(35)], dataset_sink_mode=False)
out = net(ms.Tensor(X)).asnumpy()
print(
    "mean prob of negatives",
    out[d.target == 0].mean(),
    "positives",
    out[d.target == 1].mean(),
    "brier",
    ((out[:, 0] - d.target) ** 2).mean(),
)
