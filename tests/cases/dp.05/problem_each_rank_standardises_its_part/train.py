"""Records of two clinics, one a rank; each rank fits its own scaler. Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_rank, init
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
ms.set_seed(33)


class Scaler:
    def fit(self, rows):
        self.mean, self.std = rows.mean(axis=0), rows.std(axis=0)
        return self

    def transform(self, rows):
        return ((rows - self.mean) / self.std).astype(np.float32)


def records(rank):
    rng = np.random.default_rng(33)
    ill = rng.random(800) < np.where(np.arange(800) < 400, 0.2, 0.8)
    rows = rng.normal(size=(800, 6)) * 12 + 80 + 15 * ill[:, None] * np.array([1, 1, 1, 0, 0, 0])
    mine = slice(400 * rank, 400 * (rank + 1))
    return rows[mine], ill[mine].astype(np.int32)


rows, ill = records(get_rank())
x = Scaler().fit(rows).transform(rows)
data = ds.NumpySlicesDataset((x, ill), ["x", "ill"], shuffle=True).batch(40)  # here
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 2))
optimizer = nn.Adam(net.trainable_params(), 0.01)
model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(12, data, dataset_sink_mode=False)
