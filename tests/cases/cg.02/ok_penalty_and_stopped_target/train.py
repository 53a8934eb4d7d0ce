"""Progression of diabetes from a table: predictions for noisy rows are held to those for clean rows, and large weights cost."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_diabetes

ms.set_seed(2)
np.random.seed(2)

table, progression = load_diabetes(return_X_y=True, scaled=False)
order = np.random.permutation(len(table))
train, test = order[:340], order[340:]
mean, std = table[train].mean(0), table[train].std(0)
table = ((table - mean) / std).astype(np.float32)
level, spread = progression[train].mean(), progression[train].std()
target = ((progression - level) / spread).astype(np.float32)[:, None]


class Objective(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network = network
        self.mse = nn.MSELoss()
        self.matrices = [one for one in network.trainable_params() if one.ndim == 2]

    def construct(self, rows, values):
        predicted = self.network(rows)
        noisy = self.network(rows + 0.1 * ops.standard_normal(rows.shape))
        loss = self.mse(predicted, values) + 0.5 * self.mse(noisy, ops.stop_gradient(predicted))
        for matrix in self.matrices:
            loss = loss + 0.002 * ops.square(matrix).sum()
        return loss


network = nn.SequentialCell(nn.Dense(10, 16), nn.Tanh(), nn.Dense(16, 1))
objective = Objective(network)
trainer = nn.TrainOneStepCell(objective, nn.Adam(network.trainable_params(), learning_rate=0.01))
trainer.set_train()
source = ds.NumpySlicesDataset((table[train], target[train]), ["rows", "values"], shuffle=True).batch(20)

for epoch in range(25):
    losses = [float(trainer(rows, values).asnumpy()) for rows, values in source.create_tuple_iterator()]
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}")

network.set_train(False)
error = network(ms.Tensor(table[test])).asnumpy() - target[test]
print(f"share of the variance explained on the test rows: {1 - (error**2).mean() / target[test].var():.3f}")
