"""A tie written with set_data: two parameters that lie in one piece of memory."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal

ms.set_seed(137)
rng = np.random.default_rng(137)
V, T, D = 30, 6, 16
s = ((rng.integers(0, V, (320, 1)) + np.arange(T + 1) * 2) % V).astype(np.int32)


class LM(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, D, embedding_table=Normal(0.1))
        self.rnn = nn.GRU(D, D, batch_first=True)
        self.lm_head = nn.Dense(D, V, has_bias=False)
        self.lm_head.weight.set_data(self.embed.embedding_table)  # tie weights

    def construct(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.lm_head(h)


net = LM()
ce = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 5e-3)
vg = ms.value_and_grad(lambda b: ce(net(b[:, :-1]).reshape(-1, V), b[:, 1:].reshape(-1)), None, opt.parameters)
net.set_train()
for e in range(2):
    for (b,) in ds.NumpySlicesDataset({"ids": s}, shuffle=True).batch(32).create_tuple_iterator(num_epochs=1):
        loss, g = vg(b)
        opt(g)
    print(e, float(loss))
