"""A fixed scale of 2**30 with a batch normalisation, whose statistics move though no update is made."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from sklearn.datasets import load_digits

ms.set_seed(61)
digits = load_digits()
images = (digits.images[:640, None] / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset(
    (images, digits.target[:640].astype(np.int32)), ["image", "label"], shuffle=True
).batch(64)

net = nn.SequentialCell(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dense(512, 10))
net = amp.auto_mixed_precision(net, "O2")
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9)
step = nn.TrainOneStepWithLossScaleCell(
    nn.WithLossCell(net, nn.CrossEntropyLoss()),
    optimizer,
    ms.Tensor(2.0**30, ms.float32),  # scale
)
step.set_train()

for image, label in train_set.create_tuple_iterator(num_epochs=1):
    loss, overflow, scale = step(image, label)
    print(float(loss), bool(overflow))
