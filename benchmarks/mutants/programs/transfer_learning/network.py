"""A convolutional backbone with a dense head."""

from mindspore import nn


class Backbone(nn.Cell):
    """Two convolutions with batch normalisation."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, pad_mode="pad", padding=1)
        self.bn2 = nn.BatchNorm2d(32)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        x = self.pool(self.relu(self.bn2(self.conv2(x))))
        return self.flatten(x)


class Classifier(nn.Cell):
    """Backbone and head."""

    def __init__(self, num_classes):
        super().__init__()
        self.backbone = Backbone()
        self.head = nn.Dense(32 * 2 * 2, num_classes)

    def construct(self, x):
        return self.head(self.backbone(x))
