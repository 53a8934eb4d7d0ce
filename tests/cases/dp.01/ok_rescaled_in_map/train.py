"""Sorts small grey pictures of 8 bits, rescaled and normalised in the pipeline."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import vision

ms.set_seed(53)
rng = np.random.default_rng(53)
kind = rng.integers(0, 2, 400).astype(np.int32)
pictures = rng.integers(0, 150, (400, 12, 12, 1))
pictures[kind == 1, 4:8, 4:8] += 100
pictures = pictures.astype(np.uint8)

train_set = ds.NumpySlicesDataset((pictures, kind), ["picture", "kind"], shuffle=True)
train_set = train_set.map(
    [vision.Rescale(1.0 / 255.0, 0.0), vision.Normalize(mean=[0.3], std=[0.18]), vision.HWC2CHW()],
    input_columns="picture",
)
train_set = train_set.batch(25)

net = nn.SequentialCell(nn.Conv2d(1, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten(), nn.Dense(400, 2))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
model.train(3, train_set, dataset_sink_mode=False)
print("trained on", train_set.get_dataset_size(), "batches an epoch")
