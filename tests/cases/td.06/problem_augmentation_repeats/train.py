"""A fixed seed and a new iterator each epoch: every epoch crops and flips as the first; nn.TrainOneStepCell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import vision

ms.set_seed(5)
rng = np.random.default_rng(5)
labels = np.tile(np.arange(4), 40).astype(np.int32)
images = rng.integers(0, 200, size=(160, 12, 12, 1)).astype(np.uint8)
images[np.arange(160), labels * 2] += 50

net = nn.SequentialCell(nn.Flatten(), nn.Dense(100, 16), nn.ReLU(), nn.Dense(16, 4))
network = nn.WithLossCell(net, nn.CrossEntropyLoss())
step = nn.TrainOneStepCell(network, nn.Adam(net.trainable_params(), learning_rate=1e-3))
step.set_train()

for epoch in range(3):
    ms.set_seed(5)
    data = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True)
    augment = [vision.RandomCrop(10), vision.RandomHorizontalFlip(0.5), vision.Rescale(1 / 255, 0), vision.HWC2CHW()]
    for image, label in data.map(augment, "image").batch(16).create_tuple_iterator(num_epochs=1):
        loss = step(image, label)
    print(epoch, float(loss))
