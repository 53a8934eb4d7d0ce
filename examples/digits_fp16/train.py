"""The digits in float16 with a dynamic loss scale that starts far too high.

    msprec run examples/digits_fp16/train.py

The first steps overflow until the scale has come down; later it grows again and finds its ceiling now and then. On a CPU
MindSpore's loss-scale cell does not run by itself: `msprec run` makes it run (for a script of your own there is
`msprec.enable_loss_scale_on_cpu()`).
"""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def create_dataset(images, labels, training):
    images = (images[:, None] / 16.0).astype(np.float32)
    data = ds.NumpySlicesDataset((images, labels.astype(np.int32)), ["image", "label"], shuffle=training)
    return data.batch(32, drop_remainder=training)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(16, 32, 3),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.flatten = nn.Flatten()
        self.head = nn.Dense(32 * 2 * 2, 10)

    def construct(self, x):
        return self.head(self.flatten(self.features(x)))


class Loss(nn.Cell):
    """Cross entropy in float32, whatever the network computes in."""

    def __init__(self):
        super().__init__()
        self.cross_entropy = nn.CrossEntropyLoss()

    def construct(self, logits, labels):
        return self.cross_entropy(logits.astype(ms.float32), labels)


def accuracy(net, data):
    net.set_train(False)
    right = total = 0
    for images, labels in data.create_tuple_iterator(num_epochs=1):
        right += int((net(images).argmax(axis=1) == labels).sum().asnumpy())
        total += len(labels)
    net.set_train(True)
    return right / total


def main():
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    digits = load_digits()
    split = train_test_split(digits.images, digits.target, test_size=0.2, random_state=1, stratify=digits.target)
    train_images, test_images, train_labels, test_labels = split
    train_set = create_dataset(train_images, train_labels, training=True)
    test_set = create_dataset(test_images, test_labels, training=False)

    net = Net().to_float(ms.float16)
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
    scale = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**24, scale_factor=2, scale_window=40)
    step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, Loss()), optimizer, scale_sense=scale)
    step.set_train()
    batches = train_set.create_tuple_iterator(num_epochs=8)
    for epoch in range(8):
        for images, labels in batches:
            loss, _, _ = step(images, labels)
        print(f"epoch {epoch + 1}: loss {float(loss.asnumpy()):.4f}, accuracy {accuracy(net, test_set):.4f}")


if __name__ == "__main__":
    main()
