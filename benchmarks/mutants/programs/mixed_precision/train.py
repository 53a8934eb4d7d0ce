"""Recognise activities from motion sensors, in mixed precision."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.amp import DynamicLossScaler, all_finite, auto_mixed_precision
from sklearn.metrics import f1_score


def make_windows(count, seed):
    """Windows of 6 channels x 32 samples of one of five activities."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, count)
    time = np.arange(32) / 16.0
    speed = np.array([0.4, 0.9, 1.1, 1.5, 2.2])[labels] * rng.normal(1, 0.08, count)
    power = np.array([0.5, 1.0, 0.7, 1.1, 1.4])[labels] * rng.normal(1, 0.15, count)
    phase = rng.uniform(0, 2 * np.pi, (count, 6, 1))
    harmonic = np.array([0.0, 0.3, 0.8, 0.3, 0.6])[labels]
    angle = 2 * np.pi * speed[:, None, None] * time + phase
    signal = np.sin(angle) + harmonic[:, None, None] * np.sin(2 * angle)
    windows = power[:, None, None] * signal + rng.normal(0, 0.45, signal.shape)
    return windows.astype(np.float32), labels.astype(np.int32)


class ResidualBlock(nn.Cell):
    """Two dense layers beside a short cut."""

    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Dense(width, width)
        self.bn1 = nn.BatchNorm1d(width)
        self.fc2 = nn.Dense(width, width)
        self.bn2 = nn.BatchNorm1d(width)
        self.relu = nn.ReLU()

    def construct(self, x):
        out = self.relu(self.bn1(self.fc1(x)))
        out = self.bn2(self.fc2(out))
        return self.relu(out + x)


class ActivityNet(nn.Cell):
    """Residual network over the flat window."""

    def __init__(self, width=64, blocks=2, classes=5):
        super().__init__()
        self.flatten = nn.Flatten()
        self.stem = nn.Dense(6 * 32, width)
        self.blocks = nn.SequentialCell([ResidualBlock(width) for _ in range(blocks)])
        self.head = nn.Dense(width, classes)

    def construct(self, x):
        return self.head(self.blocks(self.stem(self.flatten(x))))


def get_dataset(windows, labels, batch_size, shuffle):
    data = ds.NumpySlicesDataset((windows, labels), ["window", "label"], shuffle=shuffle)
    return data.batch(batch_size, drop_remainder=shuffle)


def evaluate(net, data):
    net.set_train(False)
    predicted, labels = [], []
    for window, label in data.create_tuple_iterator():
        predicted.append(net(window).asnumpy().argmax(1))
        labels.append(label.asnumpy())
    return f1_score(np.concatenate(labels), np.concatenate(predicted), average="macro")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--amp_level", default="O2")
    args = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(args.seed)

    train_data = get_dataset(*make_windows(4000, 1), 32, True)
    test_data = get_dataset(*make_windows(600, 2), 50, False)

    net = ActivityNet()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=args.lr, momentum=0.9, weight_decay=1e-4)
    net = auto_mixed_precision(net, args.amp_level)
    loss_scaler = DynamicLossScaler(scale_value=2**14, scale_factor=2, scale_window=100)

    def forward_fn(window, label):
        logits = net(window)
        loss = loss_fn(logits, label)
        return loss_scaler.scale(loss)

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

    @ms.jit
    def train_step(window, label):
        loss, grads = grad_fn(window, label)
        loss = loss_scaler.unscale(loss)
        is_finite = all_finite(grads)
        if is_finite:
            grads = loss_scaler.unscale(grads)
            optimizer(grads)
        loss_scaler.adjust(is_finite)
        return loss

    score = 0.0
    train_iterator = train_data.create_tuple_iterator(num_epochs=args.epochs)
    for epoch in range(args.epochs):
        net.set_train(True)
        for window, label in train_iterator:
            loss = train_step(window, label)
        score = evaluate(net, test_data)
        print(f"epoch {epoch + 1} loss {float(loss.asnumpy()):.4f} f1 {score:.4f}")
    print(f"result: f1 {score:.4f}")


if __name__ == "__main__":
    main()
