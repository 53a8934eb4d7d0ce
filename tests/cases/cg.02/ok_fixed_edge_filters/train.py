"""The first convolution holds edge filters that are given and stay."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(3)
images = load_digits().images[:, None].astype(np.float32) / 16.0
labels = load_digits().target.astype(np.int32)
sobel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], np.float32)
edges = np.stack([sobel, sobel.T, -sobel, -sobel.T])[:, None] / 4


class EdgeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.edges = nn.Conv2d(1, 4, 3, weight_init=ms.Tensor(edges))
        self.edges.weight.requires_grad = False
        self.dense1 = nn.Dense(4 * 64, 32)
        self.dense2 = nn.Dense(32, 10)

    def construct(self, x):
        x = ops.relu(self.edges(x)).reshape((x.shape[0], -1))
        return self.dense2(ops.relu(self.dense1(x)))


network = EdgeNet()
train_set = ds.NumpySlicesDataset({"image": images[:1000], "label": labels[:1000]}, shuffle=True).batch(50)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.05, 0.9))
model.train(2, train_set, dataset_sink_mode=False)
