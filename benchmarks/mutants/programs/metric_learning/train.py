"""Embeddings of digits by a triplet loss; a new digit is named by its nearest neighbour."""

import os

import mindspore as ms
import numpy as np
from mindspore import Model, Tensor, nn, ops
from mindspore.dataset import GeneratorDataset
from mindspore.train import LossMonitor
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

SEED = int(os.getenv("SEED", "1"))
EPOCHS = 10
BATCH_SIZE = 32
MARGIN = 0.3
LEARNING_RATE = 1e-3


class TripletSource:
    """An anchor, another picture of the same digit, and one of another digit."""

    def __init__(self, images, labels):
        self.images = images
        self.labels = labels
        self.by_label = {label: np.flatnonzero(labels == label) for label in np.unique(labels)}
        self.rng = np.random.default_rng(SEED)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        label = self.labels[index]
        positive = self.rng.choice(self.by_label[label])
        negative = self.rng.choice(np.flatnonzero(self.labels != label))
        return self.images[index], self.images[positive], self.images[negative]


class EmbeddingNet(nn.Cell):
    """A vector of length one for a picture."""

    def __init__(self, dim=32):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, has_bias=True)
        self.conv2 = nn.Conv2d(16, 32, 3, has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc = nn.Dense(32 * 2 * 2, dim)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        x = self.fc(ops.flatten(x))
        return ops.L2Normalize(axis=1, epsilon=1e-6)(x)


class TripletNet(nn.Cell):
    """The mean triplet loss of a batch."""

    def __init__(self, backbone, margin):
        super().__init__()
        self.backbone = backbone
        self.margin = margin

    def construct(self, anchor, positive, negative):
        a, p, n = self.backbone(anchor), self.backbone(positive), self.backbone(negative)
        distance_ap = ((a - p) ** 2).sum(1)
        distance_an = ((a - n) ** 2).sum(1)
        return ops.relu(distance_ap - distance_an + self.margin).mean()


def embed(net, images):
    net.set_train(False)
    return net(Tensor(images)).asnumpy()


if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(SEED)
    digits = load_digits()
    images = (digits.images[:, None] / 16.0).astype(np.float32)
    labels = digits.target
    order = np.random.RandomState(2).permutation(len(labels))
    train_index, test_index = order[:1200], order[1200:]
    train_images, train_labels = images[train_index], labels[train_index]

    source = TripletSource(train_images, train_labels)
    data = GeneratorDataset(source, ["anchor", "positive", "negative"], shuffle=True, num_parallel_workers=1)
    data = data.batch(BATCH_SIZE, drop_remainder=True)

    backbone = EmbeddingNet()
    optimizer = nn.Adam(backbone.trainable_params(), LEARNING_RATE)
    model = Model(TripletNet(backbone, MARGIN), optimizer=optimizer)
    model.train(EPOCHS, data, callbacks=[LossMonitor(data.get_dataset_size())])

    classifier = KNeighborsClassifier(n_neighbors=1).fit(embed(backbone, train_images), train_labels)
    accuracy = classifier.score(embed(backbone, images[test_index]), labels[test_index])
    print(f"result: recall_at_1 {accuracy:.4f}")
