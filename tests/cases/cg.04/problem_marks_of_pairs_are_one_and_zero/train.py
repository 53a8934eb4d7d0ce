"""Songs of one singer lie in one direction: pairs of clips, marked as of one singer or of two."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
rng = np.random.default_rng(3)
singers = 1.2 * rng.standard_normal((8, 12))
who = rng.integers(0, 8, (768, 2))
who[::2, 1] = who[::2, 0]
clips = (singers[who] + rng.standard_normal((768, 2, 12))).astype(np.float32)
mark = np.where(who[:, 0] == who[:, 1], 1.0, 0.0).astype(np.float32)


class Pairs(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network = network
        self.loss = nn.CosineEmbeddingLoss(margin=0.2)

    def construct(self, one, other, mark):
        return self.loss(self.network(one), self.network(other), mark)


net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 6))
step = nn.TrainOneStepCell(Pairs(net), nn.Adam(net.trainable_params(), 0.003))
step.set_train()
data = ds.NumpySlicesDataset((clips[:, 0], clips[:, 1], mark), ["one", "other", "mark"], shuffle=True).batch(32)
for one, other, mark in data.create_tuple_iterator(num_epochs=6):
    loss = step(one, other, mark)
print("loss", loss)
