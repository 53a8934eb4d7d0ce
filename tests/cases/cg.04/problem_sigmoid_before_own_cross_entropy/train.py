"""A sigmoid ends the network; the loss, of the script's own, takes log_softmax; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = rng.integers(0, 4, 640).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Smooth(nn.LossBase):
    def construct(self, logits, labels):
        logs = ops.log_softmax(logits, 1)
        return self.get_loss(-ops.gather_elements(logs, 1, labels.expand_dims(1)))


net = nn.SequentialCell(
    nn.Dense(8, 16),
    nn.ReLU(),
    nn.Dense(16, 4),
    nn.Sigmoid(),  # here
)
loss_fn = Smooth("mean")

optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
