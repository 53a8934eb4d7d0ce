"""Two tasks whose weights are learnt, the sign of what holds them turned round; TrainOneStepCell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, nn, ops

ms.set_seed(7)
rng = np.random.default_rng(7)
inputs = rng.standard_normal((640, 10)).astype(np.float32)
kinds = (inputs[:, :3] + 0.1 * rng.standard_normal((640, 3))).argmax(1).astype(np.int32)
centres = (inputs @ rng.standard_normal((10, 2)) + 0.1 * rng.standard_normal((640, 2))).astype(np.float32)


class Heads(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU())
        self.kind, self.centre = nn.Dense(32, 3), nn.Dense(32, 2)
        self.classes, self.errors = nn.CrossEntropyLoss(), nn.MSELoss()
        self.spread = Parameter(ops.zeros(2), name="spread")

    def construct(self, x, kind, centre):
        hidden = self.body(x)
        of_kinds = self.classes(self.kind(hidden), kind)
        of_centres = self.errors(self.centre(hidden), centre)
        weights = ops.exp(-self.spread)
        return weights[0] * of_kinds + weights[1] * of_centres - self.spread.sum()


net = Heads()
groups = [
    {"params": [one for one in net.trainable_params() if one.name != "spread"], "lr": 0.002},
    {"params": [net.spread], "lr": 0.1},
]
step = nn.TrainOneStepCell(net, nn.SGD(groups, learning_rate=0.002))
step.set_train()
data = ds.NumpySlicesDataset((inputs, kinds, centres), ["x", "kind", "centre"], shuffle=True).batch(32, True)
batches = data.create_tuple_iterator(num_epochs=12)
for epoch in range(12):
    for x, kind, centre in batches:
        loss = step(x, kind, centre)
print("loss", loss)
