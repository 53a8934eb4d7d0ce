"""Three classes; the optimizer is AdamW in the original."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(14)
rng = np.random.default_rng(14)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)


def build(width):
    return nn.SequentialCell(nn.Dense(12, width), nn.ReLU(), nn.Dense(width, 3))


net = build(32)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=2e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for x, y in train_set.create_tuple_iterator():
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss))
