"""Convolutional net with BatchNorm; the learning rate warms up from zero and then falls along a cosine."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(19)
ms.set_context(mode=ms.GRAPH_MODE)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset({"image": images, "label": digits.target.astype(np.int32)}, shuffle=True).batch(32)

epochs, warm, peak = 2, 20, 0.05
total = epochs * train_set.get_dataset_size()
number = np.arange(total)
rates = np.where(
    number < warm, peak * number / warm, peak * 0.5 * (1 + np.cos(np.pi * (number - warm) / (total - warm)))
)

net = nn.SequentialCell(
    nn.Conv2d(1, 12, 3, pad_mode="same", has_bias=True), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2, 2),
    nn.Flatten(), nn.Dense(12 * 16, 10),
)  # fmt: skip
optimizer = nn.Momentum(net.trainable_params(), learning_rate=rates.tolist(), momentum=0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()

batches = train_set.create_tuple_iterator(num_epochs=epochs)
for epoch in range(epochs):
    losses = [float(step(image, label)) for image, label in batches]
    print(f"epoch {epoch}: {np.mean(losses):.3f}")
