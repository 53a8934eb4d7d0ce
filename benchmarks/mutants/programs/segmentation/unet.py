"""A small U-Net."""

from mindspore import nn, ops


def double_conv(in_channels, out_channels):
    return nn.SequentialCell(
        nn.Conv2d(in_channels, out_channels, 3, pad_mode="same", has_bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
        nn.Conv2d(out_channels, out_channels, 3, pad_mode="same", has_bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
    )


class UNet(nn.Cell):
    """Two levels down and up again, with skip connections."""

    def __init__(self, in_channels=1, base=4):
        super().__init__()
        self.down1 = double_conv(in_channels, base)
        self.down2 = double_conv(base, base * 2)
        self.middle = double_conv(base * 2, base * 4)
        self.pool = nn.MaxPool2d(2, 2)
        self.up2 = nn.Conv2dTranspose(base * 4, base * 2, 2, stride=2, has_bias=True)
        self.conv2 = double_conv(base * 4, base * 2)
        self.up1 = nn.Conv2dTranspose(base * 2, base, 2, stride=2, has_bias=True)
        self.conv1 = double_conv(base * 2, base)
        self.out = nn.Conv2d(base, 1, 1, has_bias=True)

    def construct(self, x):
        first = self.down1(x)
        second = self.down2(self.pool(first))
        x = self.middle(self.pool(second))
        x = self.conv2(ops.concat((self.up2(x), second), 1))
        x = self.conv1(ops.concat((self.up1(x), first), 1))
        return self.out(x)
