import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(8)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
y = y.astype(np.int32)
train = ds.NumpySlicesDataset((X[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(32)
test = ds.NumpySlicesDataset((X[1400:], y[1400:]), ["x", "y"], shuffle=False).batch(32)
net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 10))
opt = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9, weight_decay=1e-4)
model = Model(net, nn.CrossEntropyLoss(), opt, metrics={"acc": Accuracy()})
model.train(6, train, callbacks=[LossMonitor(44)], dataset_sink_mode=False)
print(model.eval(test, dataset_sink_mode=False))
