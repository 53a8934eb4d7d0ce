"""The design ties the output layer to the embedding; the script does not."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(4)
rng = np.random.default_rng(4)
tokens = rng.integers(0, 20, size=(320, 6)).astype(np.int32)
following = ((tokens[:, -1] + 1) % 20).astype(np.int32)
data = ds.NumpySlicesDataset((tokens, following), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.mix = nn.Dense(16, 16)
        self.head = nn.Dense(16, 20, has_bias=False)  # here

    def construct(self, x):
        return self.head(ops.tanh(self.mix(self.embedding(x).mean(1))))


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)

Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
