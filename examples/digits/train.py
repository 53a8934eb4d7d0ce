"""A small convolutional network on the 1 797 handwritten digits that come with scikit-learn.

    msprec run examples/digits/train.py

Nothing is wrong with this script; msprec says so.
"""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class Digits:
    """Images scaled to 0..1, shape (1, 8, 8), and their digit."""

    def __init__(self, images, labels):
        self.images = (images[:, None] / 16.0).astype(np.float32)
        self.labels = labels.astype(np.int32)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


def create_dataset(images, labels, training):
    data = ds.GeneratorDataset(Digits(images, labels), ["image", "label"], shuffle=training)
    return data.batch(32, drop_remainder=training)


class Net(nn.Cell):
    """Two convolutions with batch normalisation, a dropout and a dense layer."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(16, 32, 3),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.flatten = nn.Flatten()
        self.dropout = nn.Dropout(p=0.2)
        self.head = nn.Dense(32 * 2 * 2, 10)

    def construct(self, x):
        return self.head(self.dropout(self.flatten(self.features(x))))


def main():
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    digits = load_digits()
    split = train_test_split(digits.images, digits.target, test_size=0.2, random_state=1, stratify=digits.target)
    train_images, test_images, train_labels, test_labels = split
    train_set = create_dataset(train_images, train_labels, training=True)
    test_set = create_dataset(test_images, test_labels, training=False)

    net = Net()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
    model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})
    model.fit(8, train_set, test_set, callbacks=[LossMonitor(44)])
    print("accuracy on the test set:", model.eval(test_set)["accuracy"])


if __name__ == "__main__":
    main()
