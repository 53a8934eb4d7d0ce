from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(6, 16)
        self.norm = nn.BatchNorm1d(16)
        self.drop = nn.Dropout(p=0.5)
        self.head = nn.Dense(16, 2)

    def construct(self, x):
        return self.head(self.drop(self.norm(self.hidden(x))))
