"""Pretrains on the digits 0-4, then trains a new head for 5-9 on the frozen backbone."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model
from sklearn.datasets import load_digits

ms.set_seed(41)

digits = load_digits()
images = (digits.data / 8.0 - 1.0).astype(np.float32)
labels = digits.target.astype(np.int32)


def dataset(chosen, shift):
    columns = {"image": images[chosen], "label": labels[chosen] - shift}
    return ds.NumpySlicesDataset(columns, shuffle=True).batch(32)


backbone = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 32), nn.ReLU())
first = nn.SequentialCell(backbone, nn.Dense(32, 5))
model = Model(first, nn.CrossEntropyLoss(), nn.Adam(first.trainable_params(), learning_rate=3e-3))
model.train(2, dataset(labels < 5, 0), dataset_sink_mode=False)
ms.save_checkpoint(backbone, "backbone.ckpt")

backbone = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 32), nn.ReLU())
ms.load_param_into_net(backbone, ms.load_checkpoint("backbone.ckpt"), strict_load=True)
for parameter in backbone.get_parameters():
    parameter.requires_grad = False

second = nn.SequentialCell(backbone, nn.Dense(32, 5))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(second.trainable_params(), learning_rate=3e-3)
grad_fn = ms.value_and_grad(lambda image, label: loss_fn(second(image), label), None, optimizer.parameters)
second.set_train()
batches = dataset(labels >= 5, 5).create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for image, label in batches:
        loss, grads = grad_fn(image, label)
        optimizer(grads)
    print(f"epoch {epoch}: {float(loss):.3f}")
