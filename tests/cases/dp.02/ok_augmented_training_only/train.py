"""Random crop, flip and colour for training; resize and crop at the centre for validation: the usual pair."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import vision
from mindspore.train import Accuracy, Model

ms.set_seed(36)
rng = np.random.default_rng(36)
kind = rng.integers(0, 2, 400).astype(np.int32)
pictures = rng.integers(0, 150, (400, 14, 14, 3))
pictures[kind == 1, 4:10, 4:10] += 100
pictures = pictures.astype(np.uint8)


def make(pictures, kind, training):
    if training:
        steps = [vision.RandomResizedCrop(10, (0.6, 1.0)), vision.RandomHorizontalFlip(0.5)]
    else:
        steps = [vision.Resize(12), vision.CenterCrop(10)]
    if training:
        steps += [vision.Rescale(1 / 255, 0.0), vision.Normalize([0.3] * 3, [0.2] * 3), vision.HWC2CHW()]
    else:  # the same numbers for pixels of 0 to 255, normalised after the change of layout
        steps += [vision.HWC2CHW(), vision.Normalize([76.5] * 3, [51.0] * 3, is_hwc=False)]
    dataset = ds.NumpySlicesDataset((pictures, kind), ["picture", "kind"], shuffle=training)
    return dataset.map(steps, input_columns=["picture"]).batch(40)


net = nn.SequentialCell(nn.Conv2d(3, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten(), nn.Dense(256, 2))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 2e-3), metrics={"acc": Accuracy()})
train_set = make(pictures[:320], kind[:320], True)
valid_set = make(pictures[320:], kind[320:], False)
model.fit(2, train_set, valid_set, dataset_sink_mode=False, valid_dataset_sink_mode=False)
