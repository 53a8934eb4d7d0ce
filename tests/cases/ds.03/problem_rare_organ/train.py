"""Segmentation of two organs, one of which fills one pixel in a hundred of the other; plain cross-entropy; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(6)
rng = np.random.default_rng(6)
masks = np.zeros((64, 16, 16), np.int32)
masks[:, 2:12, 2:12] = 1
masks[:, 14, 14] = 2
images = (np.eye(3)[masks].transpose(0, 3, 1, 2) + 0.3 * rng.normal(size=(64, 3, 16, 16))).astype(np.float32)
data = ds.NumpySlicesDataset((images, masks), ["image", "mask"], shuffle=True).batch(16)
net = nn.SequentialCell(nn.Conv2d(3, 8, 3, pad_mode="same"), nn.ReLU(), nn.Conv2d(8, 3, 1, has_bias=True))
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2)).train(2, data, dataset_sink_mode=False)
