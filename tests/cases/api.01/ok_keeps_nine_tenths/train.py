"""Three classes; old MindSpore style beside mint."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import mint, nn

ms.set_seed(16)
rng = np.random.default_rng(16)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(12, 32)
        self.norm = mint.nn.GroupNorm(4, 32)
        self.drop = nn.Dropout(keep_prob=0.9)
        self.head = nn.Dense(32, 3)

    def construct(self, x):
        return self.head(self.drop(ms.ops.relu(self.dense(x))))


net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))
model.train(2, train_set, dataset_sink_mode=False)
