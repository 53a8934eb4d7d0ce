"""Each epoch ends with an evaluation of averaged weights, and the average is never updated; Model.train with a callback."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Callback, Model

ms.set_seed(3)
rng = np.random.default_rng(3)
inputs = rng.standard_normal((320, 8)).astype(np.float32)
labels = (inputs[:, 0] + inputs[:, 1] > 0).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 2)

    def construct(self, x):
        return self.out(ops.relu(self.hidden(x)))


class Average:
    def __init__(self, net, decay):
        self.decay = decay
        self.network = Net()
        for own, other in zip(self.network.get_parameters(), net.get_parameters()):
            own.set_data(ms.Tensor(other.asnumpy()))

    def update(self, net):
        for own, other in zip(self.network.get_parameters(), net.get_parameters()):
            own.set_data(self.decay * own + (1 - self.decay) * other)


class EvaluateAverage(Callback):
    def __init__(self, ema):
        self.ema = ema

    def on_train_epoch_end(self, run_context):
        guess = self.ema.network(ms.Tensor(inputs)).asnumpy().argmax(1)
        print("accuracy of the average", (guess == labels).mean())


net = Net()
ema = Average(net, 0.9)
data = ds.NumpySlicesDataset((inputs, labels), ["x", "label"], shuffle=True).batch(32)
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(4, data, callbacks=[EvaluateAverage(ema)], dataset_sink_mode=False)
