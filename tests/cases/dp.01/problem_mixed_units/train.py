"""Predicts the yield of a reactor from its settings."""

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from plant import COLUMNS, load_table

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)

settings, amount = load_table(500)
print("columns:", ", ".join(COLUMNS))
train_set = ds.NumpySlicesDataset((settings, amount), ["settings", "amount"], shuffle=True).batch(20)

net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
with_loss = nn.WithLossCell(net, nn.L1Loss())
gradient = ops.GradOperation(get_by_list=True)(with_loss, optimizer.parameters)

net.set_train()
batches = train_set.create_tuple_iterator()
for epoch in range(3):
    for x, y in batches:
        loss = with_loss(x, y)
        optimizer(gradient(x, y))
    print("epoch", epoch, "loss", float(loss))
