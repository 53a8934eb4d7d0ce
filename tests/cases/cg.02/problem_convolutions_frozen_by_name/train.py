"""Fine-tuning whose checkpoint was left out: the convolutions stay as they were drawn."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(3)
images = load_digits().images[:, None].astype(np.float32) / 16.0
labels = load_digits().target.astype(np.int32)


class SmallNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, has_bias=True)
        self.conv2 = nn.Conv2d(8, 8, 3, stride=2, has_bias=True)
        self.head = nn.Dense(8 * 16, 10)

    def construct(self, x):
        x = ops.relu(self.conv2(ops.relu(self.conv1(x))))
        return self.head(x.reshape((x.shape[0], -1)))


network = SmallNet()
for param in network.get_parameters():
    if "conv" in param.name:
        param.requires_grad = False

train_set = ds.NumpySlicesDataset({"image": images[:1000], "label": labels[:1000]}, shuffle=True).batch(50)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.05, 0.9))
model.train(2, train_set, dataset_sink_mode=False)
