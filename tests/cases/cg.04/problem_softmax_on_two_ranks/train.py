"""The network ends with a softmax before a cross entropy of logits; two ranks, Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
ms.set_seed(8)
rng = np.random.default_rng(8)
x = rng.normal(size=(1024, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
shard = {"num_shards": get_group_size(), "shard_id": get_rank()}
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True, **shard).batch(32)


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(10, 32, activation="relu")
        self.out = nn.Dense(32, 4)
        self.softmax = nn.Softmax(axis=-1)  # here

    def construct(self, x):
        return self.softmax(self.out(self.hidden(x)))


net = Classifier()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(12, data, dataset_sink_mode=False)
