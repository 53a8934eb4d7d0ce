import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(11)
rng = np.random.default_rng(11)
steps = rng.normal(size=(900, 12, 2)).astype(np.float32)
up = (steps[:, :, 0].sum(1) > 0).astype(np.int32)


class Walk(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 24)
        self.side = nn.Dense(24, 2)

    def construct(self, walk):
        states, _ = self.gru(walk.swapaxes(0, 1))
        return self.side(states[0])


walks = ds.NumpySlicesDataset((steps, up), ["walk", "up"], shuffle=True).batch(30)
walk = Walk()
model = Model(walk, nn.CrossEntropyLoss(), nn.Adam(walk.trainable_params(), 0.005))
model.train(6, walks, callbacks=[LossMonitor(30)], dataset_sink_mode=False)
