"""Every step is given all 2 500 samples as one tensor."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(3000, 8)).astype(np.float32)
y = (np.sin(x[:, :1]) + 0.3 * x[:, 1:2] * x[:, 2:3]).astype(np.float32)
x_train, y_train = Tensor(x[:2500]), Tensor(y[:2500])
x_test, y_test = Tensor(x[2500:]), Tensor(y[2500:])
mlp = nn.SequentialCell(nn.Dense(8, 64), nn.Tanh(), nn.Dense(64, 1))
opt = nn.Adam(mlp.trainable_params(), 1e-2)
mse = nn.MSELoss()
grad = ms.value_and_grad(lambda a, b: mse(mlp(a), b), None, opt.parameters)
for epoch in range(60):
    mlp.set_train(True)
    loss, g = grad(x_train, y_train)
    opt(g)
    if epoch % 10 == 9:
        mlp.set_train(False)
        print(epoch, float(loss), float(mse(mlp(x_test), y_test)))
