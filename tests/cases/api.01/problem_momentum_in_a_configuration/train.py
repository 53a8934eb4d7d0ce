"""Three classes, two normalised blocks."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from network import Block, Settings

ms.set_seed(12)
rng = np.random.default_rng(12)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)

settings = Settings(rate=0.02)
net = nn.SequentialCell(Block(12, settings), Block(settings.width, settings), nn.Dense(settings.width, 3))
optimizer = nn.Momentum(net.trainable_params(), settings.rate, 0.9)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(2, train_set, dataset_sink_mode=False)
