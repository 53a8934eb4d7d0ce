"""The output layer uses the embedding's table itself: shared on purpose."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(4)
rng = np.random.default_rng(4)
tokens = rng.integers(0, 20, size=(320, 6)).astype(np.int32)
following = ((tokens[:, -1] + 1) % 20).astype(np.int32)
data = ds.NumpySlicesDataset((tokens, following), ["x", "y"], shuffle=True).batch(32)


class Tied(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.mix = nn.Dense(16, 16)
        self.head = nn.Dense(16, 20, has_bias=False)
        self.head.weight = self.embedding.embedding_table

    def construct(self, x):
        return self.head(ops.tanh(self.mix(self.embedding(x).mean(1))))


net = Tied()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


net.set_train()
for epoch in range(2):
    for x_batch, y_batch in data.create_tuple_iterator(num_epochs=1):
        loss = train_step(x_batch, y_batch)
    print(epoch, float(loss))
