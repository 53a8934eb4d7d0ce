"""A language model whose hidden state is multiplied by the mask of the padding turned round: only the unigrams are learnt."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
rng = np.random.default_rng(2)
follow = rng.permutation(16) + 1
text = np.zeros((600, 13), np.int32)
for row in text:
    length = rng.integers(6, 14)
    row[0] = rng.integers(1, 17)
    for i in range(1, length):
        row[i] = follow[row[i - 1] - 1] if rng.random() < 0.9 else rng.integers(1, 17)
targets = np.where(text[:, 1:] == 0, -100, text[:, 1:]).astype(np.int32)
data = ds.NumpySlicesDataset((text[:, :-1], targets), ["tokens", "targets"], shuffle=True).batch(30)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(17, 12)
        self.out = nn.Dense(12, 17)

    def construct(self, tokens):
        mask = (tokens == 0).astype(ms.float32)
        return self.out(self.embed(tokens) * mask.expand_dims(-1))


net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.02)
loss_fn = nn.CrossEntropyLoss(ignore_index=-100)


def forward(tokens, targets):  # here
    return loss_fn(net(tokens).reshape(-1, 17), targets.reshape(-1))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(10):
    for tokens, target in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(tokens, target)
        optimizer(grads)
    print(epoch, float(loss))
