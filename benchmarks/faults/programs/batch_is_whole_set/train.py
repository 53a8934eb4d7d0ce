import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from sklearn.datasets import load_digits

X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
y = y.astype(np.int32)
BATCH = 32
train = ds.NumpySlicesDataset((X[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(BATCH)
test = ds.NumpySlicesDataset((X[1400:], y[1400:]), ["x", "y"], shuffle=False).batch(32)
net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 10))
opt = nn.Adam(net.trainable_params(), learning_rate=0.001)
model = Model(net, nn.CrossEntropyLoss(), opt, metrics={"acc": Accuracy()})
model.train(15, train, callbacks=[LossMonitor(44)], dataset_sink_mode=False)
print(model.eval(test, dataset_sink_mode=False))
