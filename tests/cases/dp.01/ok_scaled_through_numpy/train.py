"""Raw pixels that a function of the loop turns into NumPy, scales by the largest of each batch, and centres."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from sklearn.datasets import load_digits

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(52)
digits = load_digits()
pixels = (digits.images / 16 * 255).astype(np.float32)
data = ds.NumpySlicesDataset((pixels, digits.target.astype(np.int32)), ["picture", "label"], shuffle=True).batch(64)


def prepare(batch):
    found = batch.asnumpy()
    top = found.max()
    return Tensor((found / top - 0.3).reshape(len(found), -1))


net = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 10))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 3e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(8):
    for picture, label in data.create_tuple_iterator(num_epochs=1):
        loss, gradients = grad_fn(prepare(picture), label)
        optimizer(gradients)
    print(f"epoch {epoch + 1}: loss {float(loss.asnumpy()):.4f}")
