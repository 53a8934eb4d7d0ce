import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from sklearn.datasets import load_digits

digits = load_digits()
x = (digits.images / 16).astype(np.float32)[:, np.newaxis]
y = digits.target.astype(np.int32)
train = ds.NumpySlicesDataset((x[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(32)
val = ds.NumpySlicesDataset((x[1400:], y[1400:]), ["x", "y"], shuffle=False).batch(32)


class LeNetish(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, pad_mode="valid", has_bias=True)
        self.bn = nn.BatchNorm2d(8, momentum=0.9)
        self.relu = nn.ReLU()
        self.flat = nn.Flatten()
        self.fc = nn.Dense(8 * 36, 10)

    def construct(self, x):
        return self.fc(self.flat(self.relu(self.bn(self.conv(x)))))


net = LeNetish()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"acc": Accuracy()})
model.train(3, train, callbacks=[LossMonitor(44)], dataset_sink_mode=False)
print(model.eval(val, dataset_sink_mode=False))
