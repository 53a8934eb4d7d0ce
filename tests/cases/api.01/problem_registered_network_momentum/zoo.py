"""Networks by name."""

from mindspore import nn, ops

_NETWORKS = {}


def register(cls):
    _NETWORKS[cls.__name__.lower()] = cls
    return cls


@register
class Small(nn.Cell):
    """A convolution and a head."""

    def __init__(self, classes):
        super().__init__()
        self.convolution = nn.Conv2d(1, 8, 3, pad_mode="same", has_bias=False)
        self.norm = nn.BatchNorm2d(8, eps=1e-5, momentum=0.1)
        self.head = nn.Dense(512, classes)

    def construct(self, x):
        return self.head(ops.flatten(ops.relu(self.norm(self.convolution(x)))))


def create_network(name, **settings):
    return _NETWORKS[name](**settings)
