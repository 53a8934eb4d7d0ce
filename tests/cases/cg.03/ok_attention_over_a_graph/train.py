import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

PEOPLE, GROUPS = 120, 3


def club(seed):
    """Who knows whom: mostly people of one group, of whom each has a few features that hint at it."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, GROUPS, PEOPLE)
    chance = np.where(group[:, None] == group[None, :], 0.15, 0.01)
    known = np.triu(rng.random((PEOPLE, PEOPLE)) < chance, 1)
    features = np.eye(GROUPS)[group] @ rng.normal(size=(GROUPS, 8)) * 0.7 + rng.normal(size=(PEOPLE, 8))
    return features.astype(np.float32), (known | known.T).astype(np.int32), group.astype(np.int32)


class GraphAttention(nn.Cell):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.values = nn.Dense(inputs, outputs)
        self.own = Parameter(initializer(Normal(0.1), (outputs, 1)), name="own")
        self.others = Parameter(initializer(Normal(0.1), (outputs, 1)), name="others")

    def construct(self, x, knows):
        values = self.values(x)
        scores = ops.leaky_relu(ops.matmul(values, self.own) + ops.matmul(values, self.others).T, 0.2)
        blocked = ops.full_like(scores, -1e9)
        shares = ops.softmax(ops.where(knows > 0, scores, blocked), -1)
        return ops.matmul(shares, values)


class Groups(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = GraphAttention(8, 16), GraphAttention(16, GROUPS)

    def construct(self, x, knows):
        return self.second(ops.elu(self.first(x, knows)), knows)


ms.set_seed(3)
features, knows, group = club(3)
x, graph, labels = Tensor(features), Tensor(knows + np.eye(PEOPLE, dtype=np.int32)), Tensor(group)
labelled = Tensor(np.arange(0, PEOPLE, 4).astype(np.int32))
model = Groups()
optimizer = nn.Adam(model.trainable_params(), learning_rate=0.01)


def forward(x, knows):
    return ops.cross_entropy(model(x, knows)[labelled], labels[labelled])


gradients = ms.value_and_grad(forward, None, optimizer.parameters)
model.set_train()
for epoch in range(60):
    loss, found = gradients(x, graph)
    optimizer(found)
model.set_train(False)
right = model(x, graph).asnumpy().argmax(1) == group
print("loss", loss, "accuracy", right[np.arange(PEOPLE) % 4 > 0].mean())
