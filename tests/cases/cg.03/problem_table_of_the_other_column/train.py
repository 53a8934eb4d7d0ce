"""How long a walker takes on a path, from vectors of both."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal

ms.set_seed(5)
rng = np.random.default_rng(5)
N_WALKERS, N_PATHS = 40, 65
fit, climb = rng.standard_normal((N_WALKERS, 3)), rng.standard_normal((N_PATHS, 3))
walker = rng.integers(0, N_WALKERS, 3000).astype(np.int32)
path = rng.integers(0, N_PATHS, 3000).astype(np.int32)
hours = ((fit[walker] * climb[path]).sum(1) + 0.1 * rng.standard_normal(3000)).astype(np.float32)


class Hours(nn.Cell):
    def __init__(self):
        super().__init__()
        self.walkers = nn.Embedding(N_WALKERS, 6, embedding_table=Normal(0.3))
        self.paths = nn.Embedding(N_PATHS, 6, embedding_table=Normal(0.3))
        self.height = nn.Embedding(N_PATHS, 1, embedding_table=Normal(0.1))

    def construct(self, walker, path):
        return (self.walkers(walker) * self.paths(walker)).sum(-1) + self.height(path).squeeze(-1)


net = Hours()


class Step(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net, self.loss = net, nn.MSELoss()

    def construct(self, walker, path, hours):
        return self.loss(self.net(walker, path), hours)


step = nn.TrainOneStepCell(Step(), nn.Adam(net.trainable_params(), 0.02))
step.set_train()
data = ds.NumpySlicesDataset((walker, path, hours), ["walker", "path", "hours"], shuffle=True).batch(50)
for walker, path, hours in data.create_tuple_iterator(num_epochs=6):
    loss = step(walker, path, hours)
print("loss", loss)
