"""Three kinds of small pictures, ported from PyTorch name by name."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(13)
rng = np.random.default_rng(13)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.act = nn.LeakyReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.norm = nn.LayerNorm((128,))
        self.head = nn.Dense(128, 3)

    def construct(self, x):
        x = self.pool(self.act(self.conv(x)))
        return self.head(self.norm(x.reshape(x.shape[0], -1)))


labels = rng.integers(0, 3, 128).astype(np.int32)
images = (rng.normal(size=(128, 1, 8, 8)) * 0.3 + labels[:, None, None, None]).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(32)
net = Net()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(2, train_set, dataset_sink_mode=False)
