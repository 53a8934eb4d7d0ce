import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

rng = np.random.RandomState(0)
N, T = 1200, 12
X = rng.randn(N, T, 1).astype(np.float32)
y = (X[:, :, 0].sum(1) > 0).astype(np.int32)


class SumRNN(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 20, batch_first=True)
        self.out = nn.Dense(20, 2)

    def construct(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1, :])


net = SumRNN()
train = ds.NumpySlicesDataset((X[:1000], y[:1000]), ["x", "y"], shuffle=True).batch(25)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.01))
for epoch in range(8):
    for a, b in train.create_tuple_iterator():
        loss = step(a, b)
    print(epoch, loss)
print("acc", (net(ms.Tensor(X[1000:])).asnumpy().argmax(1) == y[1000:]).mean())
