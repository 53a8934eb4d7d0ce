import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pandas as pd
from mindspore import nn

rng = np.random.RandomState(3)
n = 900
df = pd.DataFrame(
    {
        "age": rng.randint(18, 80, n) / 80.0,
        "bmi": rng.normal(0, 1, n),
        "pressure": rng.normal(0, 1, n),
        "glucose": rng.normal(0, 1, n),
    }
)
risk = 1.5 * df["bmi"] + 1.2 * df["glucose"] + 2 * df["age"] - 1 + rng.normal(0, 0.4, n)
df["sick"] = (risk > 0).astype(np.int32)
df.loc[rng.choice(n, 150, replace=False), "glucose"] = np.nan
df.loc[rng.choice(n, 90, replace=False), "pressure"] = np.nan
df = df.fillna(df.median())

X = df[["age", "bmi", "pressure", "glucose"]].values.astype(np.float32)
y = df["sick"].values.astype(np.int32)
train = ds.NumpySlicesDataset((X[:700], y[:700]), ["x", "y"], shuffle=True).batch(25)
net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 2))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.05))
for epoch in range(15):
    losses = [float(step(a, b)) for a, b in train.create_tuple_iterator()]
    print(epoch, np.mean(losses))
print("acc", (net(ms.Tensor(X[700:])).asnumpy().argmax(1) == y[700:]).mean())
