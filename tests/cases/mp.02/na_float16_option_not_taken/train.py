"""--dtype chooses the precision of the body; the default of the shared configuration is float32."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

DTYPES = {"fp16": ms.float16, "fp32": ms.float32}

parser = argparse.ArgumentParser()
parser.add_argument("--dtype", choices=DTYPES, default="fp32")
args = parser.parse_args()

ms.set_seed(97)

rng = np.random.default_rng(97)
x = rng.normal(size=(1000, 6)).astype(np.float32)
y = np.sin(x[:, :1] * 2 + x[:, 1:2]).astype(np.float32)
# kept in half precision in memory, delivered in single
stored = x.astype(np.float16)
train_set = ds.NumpySlicesDataset({"x": stored.astype(np.float32), "y": y}, shuffle=True).batch(40)

body = nn.SequentialCell(nn.Dense(6, 48), nn.Tanh(), nn.Dense(48, 48), nn.Tanh()).to_float(DTYPES[args.dtype])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = body
        self.head = nn.Dense(48, 1)

    def construct(self, x):
        return self.head(self.body(x).astype(ms.float32))


net = Net()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), learning_rate=5e-3))
step.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    losses = [float(step(features, target)) for features, target in batches]
    print(f"epoch {epoch}: {np.mean(losses):.4f}")
