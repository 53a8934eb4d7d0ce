from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Conv2d(1, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten())
        self.head = nn.Dense(400, 3)

    def construct(self, x):
        return self.head(self.body(x))
