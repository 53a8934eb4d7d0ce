"""Pixels labelled 1 to 3 for a network with three output channels: the first step ends in the kernel; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(6)
rng = np.random.default_rng(6)
masks = np.repeat(np.repeat(rng.integers(1, 4, (64, 4, 4)), 2, 1), 2, 2).astype(np.int32)
images = (np.eye(4)[masks][..., 1:].transpose(0, 3, 1, 2) + 0.5 * rng.normal(size=(64, 3, 8, 8))).astype(np.float32)
data = ds.NumpySlicesDataset((images, masks), ["image", "mask"], shuffle=True).batch(16)
net = nn.SequentialCell(nn.Conv2d(3, 8, 3, pad_mode="same"), nn.ReLU(), nn.Conv2d(8, 3, 1, has_bias=True))
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2)).train(2, data, dataset_sink_mode=False)
