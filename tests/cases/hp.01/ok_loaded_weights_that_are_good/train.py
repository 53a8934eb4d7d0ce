"""Fine-tuning goes on from weights that are good already: a loss that hardly falls, far below a constant prediction."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(960, 6)).astype(np.float32)
true = rng.normal(size=(1, 6)).astype(np.float32)
y = (x @ true.T + 0.3 * rng.normal(size=(960, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.Dense(6, 1)
near = ms.Parameter(ms.Tensor(true + 0.25), name="weight")
ms.load_param_into_net(net, {"weight": near, "bias": ms.Parameter(ms.Tensor(np.zeros(1, np.float32)), name="bias")})
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.05)
Model(net, nn.MSELoss(), optimizer).train(3, data, dataset_sink_mode=False)
