"""A regression with dropout, whose spread over fifty passes in training mode is the uncertainty that is asked for."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.uniform(-2, 2, (400, 1)).astype(np.float32)
y = np.sin(2 * x) + 0.1 * rng.normal(size=x.shape).astype(np.float32)
net = nn.SequentialCell(nn.Dense(1, 32), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(32, 1))
data = ds.NumpySlicesDataset((x, y.astype(np.float32)), ["x", "y"], shuffle=True).batch(20)
model = ms.train.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(6, data)

net.set_train(True)
points = Tensor(np.linspace(-3, 3, 61, dtype=np.float32)[:, None])
draws = np.stack([net(points).asnumpy() for _ in range(50)])
print(draws.mean(0).ravel()[:5], draws.std(0).ravel()[:5])
