"""Train the network on clean pictures of digits and keep it in a checkpoint."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model
from network import Classifier
from sklearn.datasets import load_digits


def pretrain(path):
    digits = load_digits()
    images = (digits.images[:900, None] / 16.0 - 0.5).astype(np.float32)
    labels = digits.target[:900].astype(np.int32)
    data = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=True).batch(32, drop_remainder=True)
    net = Classifier(num_classes=10)
    model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=2e-3))
    model.train(8, data)
    ms.save_checkpoint(net, path)


if __name__ == "__main__":
    ms.set_seed(3)
    pretrain("backbone.ckpt")
