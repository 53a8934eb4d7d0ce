"""Digits, with a list of rates for each step that a callback looks up by the epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Callback, LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(5)
digits = load_digits()
x = (digits.data / 16.0).astype(np.float32)
y = digits.target.astype(np.int32)
train = ds.NumpySlicesDataset((x[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(28, drop_remainder=True)

EPOCHS, WARM = 8, 100
steps = EPOCHS * train.get_dataset_size()
rates = [0.8 * min((i + 1) / WARM, (steps - i) / (steps - WARM)) for i in range(steps)]

net = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 10))
optimizer = nn.SGD(net.trainable_params(), learning_rate=rates[0])


class Rate(Callback):
    def on_train_epoch_begin(self, run_context):
        epoch = run_context.original_args().cur_epoch_num - 1
        ops.assign(optimizer.learning_rate, ms.Tensor(rates[epoch], ms.float32))


model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(EPOCHS, train, callbacks=[Rate(), LossMonitor(50)], dataset_sink_mode=False)
said = net(ms.Tensor(x[1400:])).asnumpy().argmax(1)
print("accuracy", (said == y[1400:]).mean())
