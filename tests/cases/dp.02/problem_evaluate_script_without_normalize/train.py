"""Training alone; the evaluation is a script of its own, and was written without a look at this one."""

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import vision
from network import Net
from patterns import patterns

ms.set_seed(31)
data = ds.NumpySlicesDataset(patterns(1, 240), ["picture", "kind"], shuffle=True)
data = data.map([vision.Rescale(1 / 255, 0.0), vision.Normalize([0.39], [0.2]), vision.HWC2CHW()], "picture").batch(30)

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
model.train(2, data, dataset_sink_mode=False)
ms.save_checkpoint(net, "net.ckpt")
