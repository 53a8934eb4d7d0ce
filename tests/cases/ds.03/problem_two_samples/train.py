"""Sorts sounds into five kinds by their spectra."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(12)
ms.set_context(mode=ms.PYNATIVE_MODE)

KINDS = ["bark", "horn", "rain", "siren", "glass"]


class Sounds:
    def __init__(self):
        rng = np.random.default_rng(12)
        # glass was hard to record
        self.kind = np.repeat(np.arange(5), [14, 12, 15, 13, 2]).astype(np.int32)
        centres = rng.normal(size=(5, 8))
        self.spectrum = (centres[self.kind] + 0.4 * rng.normal(size=(len(self.kind), 8))).astype(np.float32)

    def __getitem__(self, index):
        return self.spectrum[index], self.kind[index]

    def __len__(self):
        return len(self.kind)


train_set = ds.GeneratorDataset(Sounds(), ["spectrum", "kind"], shuffle=True).batch(8)
net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, len(KINDS)))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
net.set_train()
batches = train_set.create_dict_iterator(num_epochs=6)
for epoch in range(6):
    for batch in batches:
        loss, grads = grad_fn(batch["spectrum"], batch["kind"])
        optimizer(grads)
print("loss", float(loss))
