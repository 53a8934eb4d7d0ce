"""A network is pretrained and then trained on at a deliberately small rate: little moves, and little has to."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(3)
rng = np.random.default_rng(3)
centres = 2.0 * rng.normal(size=(6, 12))


def points(count, shift):
    labels = rng.integers(0, 6, count).astype(np.int32)
    features = (centres[labels] + shift + rng.normal(size=(count, 12))).astype(np.float32)
    return ds.NumpySlicesDataset({"point": features, "label": labels}, shuffle=True).batch(32)


net = nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 6))
first = nn.Adam(net.trainable_params(), learning_rate=5e-3)
Model(net, nn.CrossEntropyLoss(), first).train(6, points(640, 0.0), dataset_sink_mode=False)
ms.save_checkpoint(net, "body.ckpt")

tuned = nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 6))
ms.load_param_into_net(tuned, ms.load_checkpoint("body.ckpt"))
optimizer = nn.Adam(tuned.trainable_params(), learning_rate=1e-5)
Model(tuned, nn.CrossEntropyLoss(), optimizer).train(2, points(384, 0.5), dataset_sink_mode=False)
