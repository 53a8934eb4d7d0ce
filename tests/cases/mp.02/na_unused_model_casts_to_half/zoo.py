"""A small registry of networks."""

import mindspore as ms
from mindspore import nn, ops

_NETWORKS = {}


def register(cls):
    _NETWORKS[cls.__name__.lower()] = cls
    return cls


def create_network(name, **settings):
    return _NETWORKS[name](**settings)


@register
class Plain(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.convolution = nn.Conv2d(1, 8, 3, pad_mode="same", has_bias=True)
        self.head = nn.Dense(512, classes)

    def construct(self, x):
        return self.head(ops.flatten(ops.relu(self.convolution(x))))


@register
class HalfPrecision(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.head = nn.Dense(64, classes)

    def construct(self, x):
        return self.head(ops.flatten(ops.cast(x, ms.float16)).astype(ms.float32))
