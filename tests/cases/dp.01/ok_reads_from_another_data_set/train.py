"""A data set of raw pixels is the source of another one, whose batches the loop brings to -1 to 1."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(51)
digits = load_digits()
pixels = np.repeat(np.repeat(digits.images / 16 * 255, 2, 1), 2, 2).astype(np.uint8)
raw = ds.NumpySlicesDataset((pixels, digits.target.astype(np.int32)), ["image", "label"], shuffle=True)
raw = raw.map(lambda image: image[::-1].copy(), ["image"])


def load(source):
    data = ds.GeneratorDataset(source, ["image", "label"], shuffle=True, python_multiprocessing=False)
    return data.map(lambda image: image.astype(np.float32), ["image"]).batch(64, True)


net = nn.SequentialCell(nn.Flatten(), nn.Dense(256, 64), nn.ReLU(), nn.Dense(64, 10))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 2e-3)
grad_fn = ms.value_and_grad(lambda image, label: loss_fn(net(image), label), None, optimizer.parameters)
net.set_train()
batches = load(raw)
for epoch in range(4):
    for image, label in batches.create_tuple_iterator(num_epochs=1):
        loss, gradients = grad_fn((image - 127.5) / 127.5, label)
        optimizer(gradients)
    print(f"epoch {epoch + 1}: loss {float(loss.asnumpy()):.4f}")
