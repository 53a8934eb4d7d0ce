"""A body is trained well; its new head is trained at a rate far too large: at the second step its loss is infinite."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(6)
rng = np.random.default_rng(6)
centres = 2 * rng.normal(size=(6, 8))
classes = rng.integers(0, 6, 640)
points = (centres[classes] + rng.normal(size=(640, 8))).astype(np.float32)


def labelled(labels):
    return ds.NumpySlicesDataset({"point": points, "label": labels.astype(np.int32)}, shuffle=True).batch(20)


body = nn.SequentialCell(nn.Dense(8, 64), nn.ReLU())
before = nn.SequentialCell(body, nn.Dense(64, 6))
Model(before, nn.CrossEntropyLoss(), nn.Adam(before.trainable_params(), 5e-3)).train(
    3, labelled(classes), dataset_sink_mode=False
)

head = nn.Dense(64, 3)
optimizer = nn.Momentum(head.trainable_params(), learning_rate=8.0, momentum=0.9)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
try:
    Model(nn.SequentialCell(body, head), loss, optimizer).train(
        2, labelled(classes % 3), callbacks=[LossMonitor()], dataset_sink_mode=False
    )
except ValueError as error:
    print(error)
