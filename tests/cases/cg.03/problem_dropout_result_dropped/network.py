from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(10, 32)
        self.drop = nn.Dropout(p=0.5)
        self.last = nn.Dense(32, 4)

    def construct(self, x):
        x = ops.relu(self.first(x))
        self.drop(x)  # here
        return self.last(x)
