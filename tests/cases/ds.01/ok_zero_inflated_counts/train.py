"""Classifies short notes by word counts; most counts are zero and the long tail is clipped."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)

WORDS, TOPICS = 40, 4
rng = np.random.default_rng(4)
topic = rng.integers(0, TOPICS, 800).astype(np.int32)
rates = rng.gamma(0.4, 1.0, (TOPICS, WORDS))
counts = rng.poisson(rates[topic])
features = np.minimum(np.log1p(counts), 1.5).astype(np.float32)

train_set = ds.NumpySlicesDataset((features, topic), ["words", "topic"], shuffle=True).batch(40)
net = nn.SequentialCell(nn.Dense(WORDS, 32), nn.ReLU(), nn.Dense(32, TOPICS))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
loss_fn = nn.CrossEntropyLoss()


def forward(words, target):
    return loss_fn(net(words), target)


value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(words, target):
    loss, grads = value_and_grad(words, target)
    optimizer(grads)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for words, target in batches:
        loss = train_step(words, target)
    print("epoch", epoch, "loss", float(loss))
