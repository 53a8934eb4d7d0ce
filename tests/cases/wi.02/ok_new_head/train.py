"""The usual fine-tuning: all but the last layer from the checkpoint, a new head for other classes, loaded after the optimizer."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(45)


def build(classes):
    return nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, classes))


ms.save_checkpoint(build(10), "ten_classes.ckpt")
net = build(2)
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
weights = ms.load_checkpoint("ten_classes.ckpt")
for name in ("4.weight", "4.bias"):
    weights.pop(name)
left, _ = ms.load_param_into_net(net, weights)
print("not loaded:", left)

rng = np.random.default_rng(45)
x = rng.normal(size=(400, 8)).astype(np.float32)
y = (x[:, 0] > x[:, 1]).astype(np.int32)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(2, ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40), dataset_sink_mode=False)
