"""Adam with an eps of 0.1 and a rate that goes with it: it moves like a momentum, and learns."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(52)
rng = np.random.default_rng(52)
kind = rng.integers(0, 6, 900).astype(np.int32)
rows = (rng.normal(size=(900, 12)) + 2 * np.eye(6, 12)[kind]).astype(np.float32)
data = ds.NumpySlicesDataset((rows, kind), ["row", "kind"], shuffle=True).batch(30)

net = nn.SequentialCell(nn.Dense(12, 48), nn.ReLU(), nn.Dense(48, 6))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.02, eps=0.1)
model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(12, data, dataset_sink_mode=False)
