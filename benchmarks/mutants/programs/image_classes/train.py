"""Train LeNet on the handwritten digits of scikit-learn."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint, TimeMonitor
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class LeNet5(nn.Cell):
    """LeNet for images of 8 x 8 pixels."""

    def __init__(self, num_class=10, num_channel=1):
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 3, pad_mode="same")
        self.conv2 = nn.Conv2d(6, 16, 3, pad_mode="same")
        self.fc1 = nn.Dense(16 * 2 * 2, 120, weight_init=Normal(0.08))
        self.fc2 = nn.Dense(120, 84, weight_init=Normal(0.08))
        self.fc3 = nn.Dense(84, num_class, weight_init=Normal(0.08))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def create_dataset(images, labels, batch_size, training=True):
    """The pipeline of one part of the data."""
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=training)
    dataset = dataset.map([vision.Rescale(1.0 / 16.0, 0.0), vision.HWC2CHW()], input_columns="image")
    dataset = dataset.map(transforms.TypeCast(ms.int32), input_columns="label")
    return dataset.batch(batch_size, drop_remainder=training)


def parse_args():
    parser = argparse.ArgumentParser(description="LeNet on digits")
    parser.add_argument("--lr", type=float, default=2e-3, help="learning rate")
    parser.add_argument("--epochs", type=int, default=12, help="number of epochs")
    parser.add_argument("--batch_size", type=int, default=32, help="batch size")
    parser.add_argument("--ckpt_dir", default="./ckpt", help="where to keep checkpoints")
    parser.add_argument("--seed", type=int, default=1, help="random seed")
    return parser.parse_args()


def main():
    args = parse_args()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(args.seed)

    digits = load_digits()
    images = digits.images.astype(np.uint8)[..., None]
    train_images, test_images, train_labels, test_labels = train_test_split(
        images, digits.target, test_size=0.25, random_state=7, stratify=digits.target
    )
    train_set = create_dataset(train_images, train_labels, args.batch_size)
    test_set = create_dataset(test_images, test_labels, args.batch_size, training=False)

    network = LeNet5()
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = nn.Adam(network.trainable_params(), learning_rate=args.lr)
    model = Model(network, net_loss, net_opt, metrics={"accuracy"})

    steps = train_set.get_dataset_size()
    config = CheckpointConfig(save_checkpoint_steps=steps * 6, keep_checkpoint_max=2)
    callbacks = [
        LossMonitor(steps),
        TimeMonitor(steps),
        ModelCheckpoint(prefix="lenet", directory=args.ckpt_dir, config=config),
    ]
    print("============== Starting Training ==============")
    model.train(args.epochs, train_set, callbacks=callbacks)
    print("============== Starting Testing ==============")
    metrics = model.eval(test_set)
    print(f"result: accuracy {metrics['accuracy']:.4f}")


if __name__ == "__main__":
    main()
