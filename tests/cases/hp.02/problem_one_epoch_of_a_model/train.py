"""Six classes of points by Model.train: one epoch of twelve steps, where a few more would do."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

EPOCHS = 1

ms.set_seed(3)
rng = np.random.default_rng(3)
centres = 2.0 * rng.normal(size=(6, 12))
labels = rng.integers(0, 6, 384).astype(np.int32)
points = (centres[labels] + rng.normal(size=(384, 12))).astype(np.float32)
data = ds.NumpySlicesDataset({"point": points, "label": labels}, shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 6))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})
model.train(EPOCHS, data, callbacks=[LossMonitor(6)], dataset_sink_mode=False)

test = (centres[labels] + rng.normal(size=(384, 12))).astype(np.float32)
tested = ds.NumpySlicesDataset({"point": test, "label": labels}, shuffle=False).batch(64)
print(model.eval(tested))
