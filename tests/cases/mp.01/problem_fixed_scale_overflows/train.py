"""Digits in float16 (O2) with a fixed loss scale and TrainOneStepWithLossScaleCell."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from sklearn.datasets import load_digits

parser = argparse.ArgumentParser()
parser.add_argument("--loss-scale", type=float, default=2.0**24)
args = parser.parse_args()

ms.set_seed(51)

digits = load_digits()
images = (digits.data / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset({"image": images, "label": digits.target.astype(np.int32)}, shuffle=True).batch(64)

net = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 10))
net = amp.auto_mixed_precision(net, "O2")
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
step = nn.TrainOneStepWithLossScaleCell(
    nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer, ms.Tensor(args.loss_scale, ms.float32)
)
step.set_train()

batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    losses = [float(step(image, label)[0]) for image, label in batches]
    print(f"epoch {epoch}: {np.mean(losses):.3f}")
