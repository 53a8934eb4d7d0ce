"""A regression net with a main and an auxiliary output."""

from mindspore import nn, ops


class TwoHeads(nn.Cell):
    """The auxiliary head must not disturb the trunk, hence the stop_gradient."""

    def __init__(self, width=24):
        super().__init__()
        self.trunk = nn.SequentialCell(nn.Dense(6, width), nn.Tanh(), nn.Dense(width, width), nn.Tanh())
        self.main = nn.Dense(width, 1)
        self.auxiliary = nn.Dense(width, 1)

    def construct(self, x):
        features = ops.stop_gradient(self.trunk(x))
        return self.main(features), self.auxiliary(features)
