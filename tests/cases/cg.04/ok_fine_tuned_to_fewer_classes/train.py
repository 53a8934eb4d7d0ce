"""Nine kinds of shells first, then, by the same layers, three groups of them: of few samples and with a new last layer."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(1)
rng = np.random.default_rng(1)
kinds = rng.integers(0, 9, 700).astype(np.int32)
shells = (np.eye(9)[kinds] @ rng.normal(0, 1, (9, 16)) + rng.normal(0, 0.5, (700, 16))).astype(np.float32)


def learn(net, weights, inputs, labels, epochs):
    optimizer = nn.Adam(weights, learning_rate=4e-3)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    step.set_train()
    for epoch in range(epochs):
        order = rng.permutation(len(inputs))
        for begin in range(0, len(order) - 20, 20):
            part = order[begin : begin + 20]
            loss = step(Tensor(inputs[part]), Tensor(labels[part]))
        print(epoch, loss)


base = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU())
of_kinds = nn.SequentialCell(base, nn.Dense(32, 9))
learn(of_kinds, of_kinds.trainable_params(), shells, kinds, 6)
for weight in base.get_parameters():
    weight.requires_grad = False
of_groups = nn.SequentialCell(base, nn.Dense(32, 3))
learn(of_groups, of_groups.trainable_params(), shells[:120], (kinds // 3).astype(np.int32)[:120], 8)
