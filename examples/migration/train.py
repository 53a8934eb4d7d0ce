"""A fault of a migration from PyTorch, found by two dumps: the slope of LeakyReLU is 0.01 there and 0.2 here by default.

    msprec dump --out reference examples/migration/train.py reference
    msprec dump --out migrated examples/migration/train.py
    msprec compare tensors reference migrated

So that no PyTorch is needed, the reference is this script with PyTorch's slope; with PyTorch it comes from
`msprec.torch.dump(model, "reference")`. The comparison names the first cell whose inputs agree and whose output does not.
"""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits


class Net(nn.Cell):
    def __init__(self, as_pytorch):
        super().__init__()
        self.hidden = nn.Dense(64, 48)
        self.activation = nn.LeakyReLU(alpha=0.01) if as_pytorch else nn.LeakyReLU()
        self.head = nn.Dense(48, 10)

    def construct(self, x):
        return self.head(self.activation(self.hidden(x)))


def main():
    ms.set_seed(1)
    digits = load_digits()
    images, labels = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
    train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False).batch(64)

    net = Net(as_pytorch="reference" in sys.argv)
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    step.set_train()
    for image, label in train_set.create_tuple_iterator(num_epochs=1):
        print(f"loss {float(step(image, label)):.4f}")


if __name__ == "__main__":
    main()
