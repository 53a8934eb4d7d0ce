"""The head for the new classes is put in once the optimizer has been made: it keeps the weights it was drawn with."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(1)
rng = np.random.default_rng(1)


class Sorter(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU())
        self.head = nn.Dense(32, classes)

    def construct(self, x):
        return self.head(self.features(x))

    def for_classes(self, classes):
        self.head = nn.Dense(32, classes)
        self.update_parameters_name("sorter.")


net = Sorter(2)
optimizer = nn.Adam(net.trainable_params(), 0.002)
net.for_classes(5)
rows = rng.standard_normal((500, 10)).astype(np.float32)
kinds = rows[:, :5].argmax(1).astype(np.int32)
data = ds.NumpySlicesDataset((rows, kinds), ["rows", "kinds"], shuffle=True).batch(25)
Model(net, nn.CrossEntropyLoss(), optimizer).train(6, data, dataset_sink_mode=False)
