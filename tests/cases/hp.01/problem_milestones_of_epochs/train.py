"""Kinds of weave by their threads; the milestones of the rate are epochs, and it counts steps."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

PLAN = {"epochs": 10, "rate": 0.02, "milestones": [5, 8]}
ms.set_seed(9)
rng = np.random.default_rng(9)
kinds = rng.integers(0, 6, 900).astype(np.int32)
centres = rng.normal(0, 1, (6, 20))
threads = (centres[kinds] + rng.normal(0, 1.2, (900, 20))).astype(np.float32)


def rates(steps):
    found = []
    for step in range(steps * PLAN["epochs"]):
        passed = sum(step >= mark for mark in PLAN["milestones"])
        found.append(PLAN["rate"] * 0.1**passed)
    return found


data = ds.NumpySlicesDataset((threads, kinds), ["threads", "kind"], shuffle=True).batch(30)
net = nn.SequentialCell(nn.Dense(20, 32), nn.ReLU(), nn.Dense(32, 6))
optimizer = nn.Momentum(net.trainable_params(), rates(data.get_dataset_size()), 0.9)
model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(PLAN["epochs"], data, callbacks=[LossMonitor(60)], dataset_sink_mode=False)
