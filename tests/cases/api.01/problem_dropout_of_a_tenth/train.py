"""Three classes; the dropout was written as PyTorch writes it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(11)
rng = np.random.default_rng(11)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(
    nn.Dense(12, 32),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Dense(32, 3),
)
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(2, train_set, dataset_sink_mode=False)
