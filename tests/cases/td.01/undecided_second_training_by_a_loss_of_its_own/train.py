"""A large network is trained first; a small one then by a loss that is written out, of another size than the first one's."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model
from sklearn.datasets import load_wine

ms.set_seed(8)
table = load_wine()
x = ((table.data - table.data.mean(0)) / table.data.std(0)).astype(np.float32)
y = table.target.astype(np.int32)
SHARP = 4.0


def mlp(width):
    return nn.SequentialCell(nn.Dense(13, width), nn.ReLU(), nn.Dense(width, 3))


class Imitation(nn.Cell):
    """What the small network says, softened, against what the large one says; few labels beside."""

    def __init__(self, small):
        super().__init__()
        self.small = small

    def construct(self, x, told, y):
        said = self.small(x)
        soft = -(told * ops.log_softmax(said / SHARP, -1)).sum(-1).mean() * SHARP**2
        hard = -ops.gather_elements(ops.log_softmax(said, -1), 1, y.expand_dims(1)).mean()
        return 0.8 * soft + 0.2 * hard


large = mlp(64)
first = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
Model(large, nn.CrossEntropyLoss(), nn.Adam(large.trainable_params(), 2e-3)).train(15, first, dataset_sink_mode=False)
large.set_train(False)
told = ops.softmax(large(ms.Tensor(x)) / SHARP, -1).asnumpy()

second = ds.NumpySlicesDataset((x, told, y), ["x", "told", "y"], shuffle=True).batch(32)
small = mlp(8)
step = nn.TrainOneStepCell(Imitation(small), nn.Adam(small.trainable_params(), 4e-3))
step.set_train()
for _ in range(60):
    losses = [float(step(*batch).asnumpy()) for batch in second.create_tuple_iterator()]
print(np.mean(losses))
