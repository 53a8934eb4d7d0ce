import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from sklearn.datasets import load_digits

digits = load_digits()
x, y = digits.images.astype(np.float32), digits.target.astype(np.int32)
x_train, y_train = x[:1400], y[:1400]
x_test, y_test = x[1400:], y[1400:]

x_train = (x_train - 4.9) / 6.0
x_test = (x_test - 4.9) / 6.0

train = ds.NumpySlicesDataset((x_train, y_train), ["x", "y"], shuffle=True).batch(32)
test = ds.NumpySlicesDataset((x_test, y_test), ["x", "y"], shuffle=False).batch(32)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(64, 64), nn.Tanh(), nn.Dense(64, 10))
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.02, 0.9), metrics={"acc": Accuracy()})
for epoch in range(6):
    model.train(1, train, callbacks=[LossMonitor(44)], dataset_sink_mode=False)
    print(epoch, model.eval(test, dataset_sink_mode=False))
