"""Grey patterns of 8 bits, trained with Model.train and tested with Model.eval."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import vision
from mindspore.train import Accuracy

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(31)


def patterns(seed, size):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, size).astype(np.int32)
    pictures = rng.integers(0, 140, (size, 12, 12, 1))
    for number in range(3):
        pictures[kind == number, 4 * number : 4 * number + 4] += 90
    return pictures.astype(np.uint8), kind


def train_pipeline(data):
    dataset = ds.NumpySlicesDataset(data, ["picture", "kind"], shuffle=True)
    dataset = dataset.map(
        [vision.Rescale(1 / 255, 0.0), vision.Normalize([0.39], [0.2]), vision.HWC2CHW()], input_columns="picture"
    )
    return dataset.batch(30)


def test_pipeline(data):
    dataset = ds.NumpySlicesDataset(data, ["picture", "kind"], shuffle=False)
    dataset = dataset.map([vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()], input_columns="picture")
    return dataset.batch(30)


net = nn.SequentialCell(nn.Conv2d(1, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten(), nn.Dense(400, 3))
model = ms.Model(
    net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9), metrics={"accuracy": Accuracy()}
)
model.train(3, train_pipeline(patterns(1, 360)), dataset_sink_mode=False)
print(model.eval(test_pipeline(patterns(2, 120)), dataset_sink_mode=False))
