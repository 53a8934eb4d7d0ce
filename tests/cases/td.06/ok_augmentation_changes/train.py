"""One iterator over all epochs: crops and flips differ from epoch to epoch; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import vision
from mindspore.train import Model

ms.set_seed(5)
rng = np.random.default_rng(5)
labels = np.tile(np.arange(4), 40).astype(np.int32)
images = rng.integers(0, 200, size=(160, 12, 12, 1)).astype(np.uint8)
images[np.arange(160), labels * 2] += 50
data = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True)
augment = [vision.RandomCrop(10), vision.RandomHorizontalFlip(0.5), vision.Rescale(1 / 255, 0), vision.HWC2CHW()]
data = data.map(augment, "image").batch(16)

net = nn.SequentialCell(nn.Flatten(), nn.Dense(100, 16), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(16, 4))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=1e-3))
model.train(3, data, dataset_sink_mode=False)
