"""Fine-tuning on batches of four: BatchNorm keeps the statistics of the pretraining, its weights still train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(21)
ms.set_context(mode=ms.PYNATIVE_MODE)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
labels = digits.target.astype(np.int32)


def batches_of(chosen, size):
    columns = {"image": images[chosen], "label": labels[chosen]}
    return ds.NumpySlicesDataset(columns, shuffle=True).batch(size, drop_remainder=True)


net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="same"), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2),
    nn.Conv2d(8, 16, 3, pad_mode="same"), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2, 2),
    nn.Flatten(), nn.Dense(64, 10),
)  # fmt: skip
step = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), learning_rate=3e-3)
)


def freeze_batch_norm(network):
    for _, cell in network.cells_and_names():
        if isinstance(cell, nn.BatchNorm2d):
            cell.set_train(False)


step.set_train()
for image, label in batches_of(np.arange(1200), 32).create_tuple_iterator():
    loss = step(image, label)
print("pretrained, loss", float(loss))

freeze_batch_norm(net)
for image, label in batches_of(np.arange(1200, 1500), 4).create_tuple_iterator():
    loss = step(image, label)
print("fine-tuned, loss", float(loss))

net.set_train(False)
held_out = net(ms.Tensor(images[1500:])).asnumpy().argmax(axis=1)
print("accuracy", (held_out == labels[1500:]).mean())
