"""Ten blobs, hidden layers of sigmoids, squared errors and plain SGD."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(6)
rng = np.random.default_rng(6)
centres = rng.uniform(-1, 1, (10, 16))
kinds = rng.integers(0, 10, 1200)
x = (centres[kinds] + 0.2 * rng.standard_normal((1200, 16))).astype(np.float32)
y = np.eye(10, dtype=np.float32)[kinds]

layers = []
for width in (24, 24, 24):
    layers += [nn.Dense(16 if not layers else 24, width), nn.Sigmoid()]
net = nn.SequentialCell(*layers, nn.Dense(24, 10))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), learning_rate=0.002))
step.set_train()
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for x_batch, y_batch in data.create_tuple_iterator(num_epochs=12):
    loss = step(x_batch, y_batch)
print("loss", loss)
