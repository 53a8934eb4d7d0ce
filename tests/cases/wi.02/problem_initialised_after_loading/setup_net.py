from mindspore import nn
from mindspore.common.initializer import TruncatedNormal, initializer


def build():
    return nn.SequentialCell(nn.Dense(6, 24), nn.Tanh(), nn.Dense(24, 24), nn.Tanh(), nn.Dense(24, 1))


def initialise(net):
    for _, cell in net.cells_and_names():
        if isinstance(cell, nn.Dense):
            cell.weight.set_data(initializer(TruncatedNormal(0.02), cell.weight.shape, cell.weight.dtype))
