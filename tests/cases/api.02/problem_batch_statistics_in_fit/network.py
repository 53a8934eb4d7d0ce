"""The network for the 8 x 8 digits."""

from mindspore import nn


def block(channels_in, channels_out):
    return nn.SequentialCell(
        nn.Conv2d(channels_in, channels_out, 3, pad_mode="same"),
        nn.BatchNorm2d(channels_out, use_batch_statistics=True),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
    )


class DigitNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(block(1, 12), block(12, 24))
        self.flatten = nn.Flatten()
        self.head = nn.Dense(24 * 2 * 2, 10)

    def construct(self, image):
        return self.head(self.flatten(self.features(image)))
