"""A tagger keeps the LSTM's last state for the next batch, and the batches are shuffled; a training cell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(8)
rng = np.random.default_rng(8)
words = rng.normal(size=(480, 8, 4)).astype(np.float32)
label = (words[:, :, 0].max(1) > 1.2).astype(np.int32)
data = ds.NumpySlicesDataset({"words": words, "label": label}, shuffle=True).batch(16, drop_remainder=True)


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(4, 12, batch_first=True), nn.Dense(12, 2)
        self.hidden = ops.zeros((1, 16, 12), ms.float32)
        self.cell_state = ops.zeros((1, 16, 12), ms.float32)

    def construct(self, words):
        every, (h, c) = self.lstm(words, (self.hidden, self.cell_state))
        self.hidden, self.cell_state = ops.stop_gradient(h), ops.stop_gradient(c)  # here
        return self.out(every[:, -1])


net = Tagger()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.005))
step.set_train()
batches = data.create_tuple_iterator()
for epoch in range(3):
    for a, b in batches:
        loss = step(a, b)
    print(epoch, float(loss))
