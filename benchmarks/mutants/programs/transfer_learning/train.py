"""Train a new head of a pretrained network on pictures of a bad camera, of which there are few."""

import os
import sys
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import yaml
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model
from network import Classifier
from pretrain import pretrain
from sklearn.datasets import load_digits


def load_few(samples_per_class):
    """Some pictures of each digit to train with, and all others."""
    digits = load_digits()
    rng = np.random.default_rng(0)
    train, test = [], []
    for digit in range(10):
        found = rng.permutation(np.flatnonzero(digits.target[900:] == digit)) + 900
        train += found[:samples_per_class].tolist()
        test += found[samples_per_class:].tolist()
    images = digits.images + rng.normal(0, 3.0, digits.images.shape)
    images = (images[:, None] / 16.0 - 0.5).astype(np.float32)
    labels = digits.target.astype(np.int32)
    return images[train], labels[train], images[test], labels[test]


def create_dataset(images, labels, batch_size, training):
    data = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=training)
    return data.batch(batch_size, drop_remainder=training)


def main(config):
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    if not Path(config["checkpoint"]).exists():
        ms.set_seed(3)
        pretrain(config["checkpoint"])
    ms.set_seed(int(os.environ.get("SEED", "1")))

    net = Classifier(num_classes=10)
    param_dict = ms.load_checkpoint(config["checkpoint"])
    for name in list(param_dict):
        if name.startswith("head."):
            param_dict.pop(name)
    ms.load_param_into_net(net, param_dict)
    for param in net.backbone.get_parameters():
        param.requires_grad = False

    train_images, train_labels, test_images, test_labels = load_few(config["samples_per_class"])
    train_set = create_dataset(train_images, train_labels, config["batch_size"], training=True)
    test_set = create_dataset(test_images, test_labels, 50, training=False)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    opt = nn.Momentum(net.trainable_params(), config["learning_rate"], config["momentum"])
    model = Model(net, loss, opt, metrics={"acc": Accuracy()})
    model.fit(config["epochs"], train_set, test_set, valid_frequency=5, callbacks=[LossMonitor()])
    result = model.eval(test_set)
    print(f"result: accuracy {result['acc']:.4f}")


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else "finetune.yaml") as file:
        main(yaml.safe_load(file))
