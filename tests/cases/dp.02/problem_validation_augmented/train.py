"""Model.fit with a validation set from the very function that makes the training set."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import transforms, vision
from mindspore.train import Accuracy, Model

ms.set_seed(34)
rng = np.random.default_rng(34)
kind = rng.integers(0, 2, 400).astype(np.int32)
pictures = rng.integers(0, 150, (400, 10, 10, 3))
pictures[kind == 1, 3:7, 3:7] += 100
pictures = pictures.astype(np.uint8)


def make(pictures, kind):
    steps = transforms.Compose(
        [vision.ToPIL(), vision.RandomHorizontalFlip(0.5), vision.RandomColorAdjust(0.4, 0.4), vision.ToTensor()]
    )
    dataset = ds.NumpySlicesDataset((pictures, kind), ["picture", "kind"], shuffle=True)
    return dataset.map(steps, input_columns=["picture"]).batch(40)


net = nn.SequentialCell(nn.Conv2d(3, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten(), nn.Dense(256, 2))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 2e-3), metrics={"acc": Accuracy()})
train_set = make(pictures[:320], kind[:320])
valid_set = make(pictures[320:], kind[320:])
model.fit(2, train_set, valid_set, dataset_sink_mode=False, valid_dataset_sink_mode=False)
