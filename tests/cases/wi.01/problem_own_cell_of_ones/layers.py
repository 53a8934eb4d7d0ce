"""A bilinear layer, written by hand."""

import mindspore as ms
from mindspore import Parameter, nn, ops


class Bilinear(nn.Cell):
    """y_k = sum_ij a_i W_ijk b_j, with W flattened to a matrix."""

    def __init__(self, size_a, size_b, size_out):
        super().__init__()
        self.size_a = size_a
        self.weight = Parameter(ops.ones((size_a, size_b * size_out), ms.float32) * 0.1, name="weight")
        self.bias = Parameter(ops.zeros((size_out,), ms.float32), name="bias")

    def construct(self, a, b):
        products = ops.matmul(a, self.weight).reshape((a.shape[0], b.shape[1], -1))
        return (products * b.expand_dims(-1)).sum(axis=1) + self.bias
