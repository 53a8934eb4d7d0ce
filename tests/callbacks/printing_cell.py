"""Networks that a second run of a step would be noticed in; graph mode wants them in a file of their own."""

from mindspore import nn


class Printing(nn.Cell):
    WHAT = "print in Printing.construct"

    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(4, 1)

    def construct(self, x):
        print("shape", x.shape)
        return self.layer(x)


class Counting(nn.Cell):
    WHAT = "an assignment to calls in Counting.construct"

    def __init__(self):
        super().__init__()
        self.layer, self.calls = nn.Dense(4, 1), 0

    def construct(self, x):
        self.calls = 1
        return self.layer(x)
