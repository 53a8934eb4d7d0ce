"""A momentum of 0.97 in 200 steps: 0.2 % of what the moving statistics began with is left; every argument is written."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(3)
rng = np.random.default_rng(3)
kinds = rng.integers(0, 3, 640).astype(np.int32)
rows = 6 + 3 * rng.standard_normal((640, 12)).astype(np.float32)
rows[np.arange(640), kinds] += 5
net = nn.SequentialCell(
    nn.Dense(12, 24, weight_init="he_uniform", bias_init="zeros"),
    nn.BatchNorm1d(24, eps=1e-3, momentum=0.97),
    nn.ReLU(),
    nn.Dense(24, 3, weight_init="he_uniform", bias_init="zeros"),
)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9, weight_decay=0.0)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss(reduction="mean")), optimizer)
step.set_train()
for epoch in range(10):
    order = rng.permutation(640)
    for start in range(0, 640, 32):
        loss = step(Tensor(rows[order[start : start + 32]]), Tensor(kinds[order[start : start + 32]]))
net.set_train(False)
print("loss", loss, "accuracy", (net(Tensor(rows)).asnumpy().argmax(1) == kinds).mean())
