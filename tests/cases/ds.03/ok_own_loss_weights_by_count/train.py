"""Kinds of stars, of which one in thirty is a dwarf; the loss written out, each star counted by how rare its kind is."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
kinds = rng.permutation(np.repeat([0, 1, 2], [800, 700, 50])).astype(np.int32)
spectra = (rng.normal(0, 1, (len(kinds), 9)) + np.eye(3)[kinds].repeat(3, axis=1) * 1.5).astype(np.float32)
by_kind = Tensor((len(kinds) / np.bincount(kinds) / 3).astype(np.float32))

network = nn.SequentialCell(nn.Dense(9, 20), nn.Tanh(), nn.Dense(20, 3))
optimizer = nn.Adam(network.trainable_params(), learning_rate=3e-3)


def rare_kinds_too(scores, kind):
    of_kind = ops.gather_elements(ops.log_softmax(scores, -1), 1, kind.reshape(-1, 1)).reshape(-1)
    return -(of_kind * by_kind[kind]).mean()


def forward(spectrum, kind):
    return rare_kinds_too(network(spectrum), kind)


step = ms.value_and_grad(forward, None, optimizer.parameters)
network.set_train()
for epoch in range(5):
    order = rng.permutation(len(kinds))
    for start in range(0, 1500, 50):
        chosen = order[start : start + 50]
        loss, gradients = step(Tensor(spectra[chosen]), Tensor(kinds[chosen]))
        optimizer(gradients)
    print(epoch, loss)
