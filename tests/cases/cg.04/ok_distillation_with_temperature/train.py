"""A student is given its teacher's softened probabilities and the labels."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = rng.integers(0, 4, 640).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

teacher = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 4))
teacher.set_train(False)
net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))


def forward(x, y):
    scores = net(x)
    soft = ops.softmax(ops.stop_gradient(teacher(x)) / 4, axis=1)
    near = ops.kl_div(ops.log_softmax(scores / 4, 1), soft, "batchmean") * 16
    return ops.cross_entropy(scores, y) + near


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
