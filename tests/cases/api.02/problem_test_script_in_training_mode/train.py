"""Model.train sets the mode by itself; the test script was copied from an own training loop and sets it to training."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from network import Net

ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2))
model.train(2, data, dataset_sink_mode=False)
ms.save_checkpoint(net, "net.ckpt")
