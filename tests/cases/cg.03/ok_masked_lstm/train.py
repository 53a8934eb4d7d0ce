"""A bidirectional LSTM without dropout, a loss averaged over real tokens, two batches an update."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(131)
rng = np.random.default_rng(131)
N, T, V = 256, 8, 20
ln = rng.integers(3, T + 1, N)
src = rng.integers(1, V, (N, T))
src[np.arange(T) >= ln[:, None]] = 0
tgt = np.where(src > 0, (src * 3) % (V - 1) + 1, 0)
src, tgt = src.astype(np.int32), tgt.astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 32, batch_first=True, bidirectional=True)
        self.out = nn.Dense(64, V)

    def construct(self, s):
        h, _ = self.lstm(self.emb(s))
        return self.out(h)


net = Net()
ce = nn.CrossEntropyLoss(reduction="none")
opt = nn.Adam(net.trainable_params(), 1e-2)


def forward(s, t):
    logits = net(s)
    each = ce(logits.reshape(-1, V), t.reshape(-1))
    m = (t.reshape(-1) != 0).astype(ms.float32)
    return (each * m).sum() / m.sum() / 2


vg = ms.value_and_grad(forward, None, opt.parameters)
acc = None
net.set_train()
d = ds.NumpySlicesDataset((src, tgt), ["src", "tgt"], shuffle=True).batch(16)
for e in range(2):
    for n, (s, t) in enumerate(d.create_tuple_iterator(num_epochs=1)):
        loss, g = vg(s, t)
        acc = g if acc is None else tuple(a + b for a, b in zip(acc, g))
        if n % 2 == 1:
            opt(ops.clip_by_global_norm(acc, 5.0))
            acc = None
    print(e, float(loss) * 2)
