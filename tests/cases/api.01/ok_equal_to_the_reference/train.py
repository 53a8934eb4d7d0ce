"""Small pictures; the same network as the reference in MindSpore's words."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(17)
rng = np.random.default_rng(17)
labels = rng.integers(0, 3, 128).astype(np.int32)
images = (rng.normal(size=(128, 1, 8, 8)) * 0.3 + labels[:, None, None, None] - 1).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(32)


def block(inputs, outputs):
    return nn.SequentialCell(
        nn.Conv2d(inputs, outputs, 3, has_bias=False), nn.BatchNorm2d(outputs), nn.LeakyReLU(alpha=0.1)
    )


net = nn.SequentialCell(block(1, 8), nn.AvgPool2d(2, 2), nn.Flatten(), nn.Dropout(p=0.2), nn.Dense(128, 3))
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9, weight_decay=1e-4)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(2, train_set, dataset_sink_mode=False)
