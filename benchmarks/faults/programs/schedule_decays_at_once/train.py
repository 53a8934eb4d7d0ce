import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from sklearn.datasets import load_digits

X, y = load_digits(return_X_y=True)
X = (X / 16.0 - 0.5).astype(np.float32)
y = y.astype(np.int32)
train = ds.NumpySlicesDataset((X[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(50)
test = ds.NumpySlicesDataset((X[1400:], y[1400:]), ["x", "y"], shuffle=False).batch(50)
epochs = 10
steps = train.get_dataset_size()
net = nn.SequentialCell(nn.Dense(64, 50), nn.ReLU(), nn.Dense(50, 10))
schedule = nn.ExponentialDecayLR(0.01, 0.6, steps)
opt = nn.Adam(net.trainable_params(), schedule)
model = Model(net, nn.CrossEntropyLoss(), opt, metrics={"acc": Accuracy()})
model.train(epochs, train, callbacks=[LossMonitor(steps)], dataset_sink_mode=False)
print(model.eval(test, dataset_sink_mode=False))
