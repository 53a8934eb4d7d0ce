"""The auxiliary head runs in the second half of the training only, and logits come back beside the loss."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(10, 16)
        self.head = nn.Dense(16, 4)
        self.aux = nn.Dense(16, 4)
        self.late = False

    def construct(self, x):
        h = ops.relu(self.body(x))
        if self.late:
            return self.head(h) + 0.3 * self.aux(h)
        return self.head(h)


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)


def forward(x, y):
    logits = net(x)
    return loss_fn(logits, y), ops.softmax(logits, 1)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
net.set_train()
for epoch in range(2):
    net.late = epoch == 1
    for x_batch, y_batch in data.create_tuple_iterator(num_epochs=1):
        (loss, probabilities), grads = grad_fn(x_batch, y_batch)
        optimizer(grads)
    print(epoch, float(loss), float((probabilities.argmax(1) == y_batch).astype(ms.float32).mean()))
