"""A questionnaire of four answers each: people who answered alike may well belong to different groups."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(96)
rng = np.random.default_rng(96)
answers = rng.integers(0, 4, (500, 5)).astype(np.float32) / 3
group = (answers.mean(axis=1) + 0.2 * rng.normal(size=500) > 0.5).astype(np.int32)
net = nn.SequentialCell(nn.Dense(5, 8), nn.ReLU(), nn.Dense(8, 2))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(
    2, ds.NumpySlicesDataset((answers, group), ["answers", "group"], shuffle=True).batch(25), dataset_sink_mode=False
)
