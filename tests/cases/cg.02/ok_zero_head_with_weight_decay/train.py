"""Points on three rings. The last layer starts at zero: no gradient passes it in the first step, and the weights decay."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
label = rng.integers(0, 3, 640).astype(np.int32)
angle = rng.uniform(0, 2 * np.pi, 640)
radius = label + 1 + rng.normal(0, 0.15, 640)
points = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1).astype(np.float32)

network = nn.SequentialCell(
    nn.Dense(2, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 3, weight_init="zeros")
)
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1, momentum=0.9, weight_decay=1e-4)
data = ds.NumpySlicesDataset({"points": points, "label": label}, shuffle=True).batch(32)
Model(network, nn.CrossEntropyLoss(), optimizer).train(12, data, callbacks=[LossMonitor(20)], dataset_sink_mode=False)
