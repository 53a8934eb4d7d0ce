"""Which words go with which tags: factors that each sample touches a few of, so that 64 steps bring the loss down a little."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

WORDS, TAGS, RATE = 240, 120, 3e-6

ms.set_seed(8)
rng = np.random.default_rng(8)
word_topic, tag_topic = rng.normal(size=(WORDS, 2)), rng.normal(size=(TAGS, 2))
pairs = np.stack([rng.integers(0, WORDS, 2560), rng.integers(0, TAGS, 2560)], axis=1).astype(np.int32)
together = ((word_topic[pairs[:, 0]] * tag_topic[pairs[:, 1]]).sum(1) > 0).astype(np.float32)
train_set = ds.NumpySlicesDataset((pairs, together), ["pair", "together"], shuffle=True).batch(40)


class Factors(nn.Cell):
    def __init__(self, size=8):
        super().__init__()
        self.words = nn.Embedding(WORDS, size, embedding_table=ms.common.initializer.Normal(0.3))
        self.tags = nn.Embedding(TAGS, size, embedding_table=ms.common.initializer.Normal(0.3))

    def construct(self, pair):
        return (self.words(pair[:, 0]) * self.tags(pair[:, 1])).sum(1)


net = Factors()
optimizer = nn.Adam(net.trainable_params(), learning_rate=RATE)


def forward(pair, together):
    scores = net(pair)
    wrong = ops.relu(scores) - scores * together + ops.log1p(ops.exp(-ops.abs(scores)))
    return wrong.mean() + 1e-5 * sum(ops.square(weight).sum() for weight in net.trainable_params())


grad_fn = ms.value_and_grad(forward, None, net.trainable_params())
net.set_train()
iterator = train_set.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    for pair, together in iterator:
        loss, grads = grad_fn(pair, together)
        optimizer(grads)
    print(f"epoch {epoch} loss {float(loss):.4f}")
