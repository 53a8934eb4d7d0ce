"""The share of answers by village is computed over other rows than those that are given it; pandas, a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pandas as pd
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
people = pd.DataFrame(rng.normal(size=(1200, 3)), columns=["age", "income", "visits"])
people["village"] = rng.integers(0, 300, 1200)
people["answered"] = (people.age - people.income + rng.normal(0, 0.5, 1200) > 0).astype(int)
earlier, people = people[:600], people[600:].copy()

share = earlier.groupby("village").answered.mean()
income = people.groupby("village").income.mean()
people["share"] = people.village.map(share).fillna(earlier.answered.mean())
people["local_income"] = people.village.map(income)
columns = ["age", "income", "visits", "share", "local_income"]
scaled = (people[columns] - people[columns].mean()) / people[columns].std()
data = ds.NumpySlicesDataset(
    (scaled.to_numpy(np.float32), people.answered.to_numpy(np.int32)), ["x", "y"], shuffle=True
)
data = data.batch(30)

net = nn.SequentialCell(nn.Dense(5, 16), nn.ReLU(), nn.Dense(16, 2))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
gradient = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
for epoch in range(12):
    for x, y in data.create_tuple_iterator():
        loss, grads = gradient(x, y)
        optimizer(grads)
print(float(loss))
