import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from sklearn.datasets import load_iris

X, y = load_iris(return_X_y=True)
X = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
y = y.astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(4, 16)
        self.fc2 = nn.Dense(16, 3)
        self.relu = nn.ReLU()
        self.log_softmax = nn.LogSoftmax(axis=1)

    def construct(self, x):
        x = self.fc2(self.relu(self.fc1(x)))
        x = self.log_softmax(x)
        return x


net = Net()
data = ds.NumpySlicesDataset((X, y), ["x", "y"], shuffle=True).batch(15)
model = Model(net, nn.NLLLoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"acc": Accuracy()})
model.train(30, data, callbacks=[LossMonitor(10)], dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
