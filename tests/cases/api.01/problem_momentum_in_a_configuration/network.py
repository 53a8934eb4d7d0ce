"""A block with batch normalisation; its settings come from outside."""

from dataclasses import dataclass

from mindspore import nn


@dataclass
class Settings:
    width: int = 24
    momentum: float = 0.1
    rate: float = 0.05


class Block(nn.Cell):
    def __init__(self, inputs, settings):
        super().__init__()
        self.dense = nn.Dense(inputs, settings.width)
        self.norm = nn.BatchNorm1d(settings.width, eps=1e-5, momentum=settings.momentum)

    def construct(self, x):
        return nn.ReLU()(self.norm(self.dense(x)))
