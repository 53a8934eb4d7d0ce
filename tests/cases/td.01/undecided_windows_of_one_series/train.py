"""Whether a random walk will be higher in ten days, from windows of it; those of the next day are their neighbours."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_seed(5)
rng = np.random.default_rng(5)
walk = np.cumsum(rng.normal(size=1300)).astype(np.float32)
walk = (walk - walk[:1000].mean()) / walk[:1000].std()
starts = np.arange(900)
x = np.stack([walk[s : s + 20] for s in starts])
y = (walk[starts + 29] > walk[starts + 19]).astype(np.int32)

net = nn.SequentialCell(nn.Dense(20, 8), nn.Tanh(), nn.Dropout(p=0.3), nn.Dense(8, 2))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 1e-3)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
net.set_train()
for epoch in range(12):
    order = rng.permutation(len(x))
    for start in range(0, len(x), 30):
        rows = order[start : start + 30]
        loss, grads = grad_fn(Tensor(x[rows]), Tensor(y[rows]))
        optimizer(grads)
print(float(loss))
