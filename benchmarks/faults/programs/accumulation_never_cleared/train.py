import mindspore as ms
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(1)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
y = y.astype(np.int32)
net = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), learning_rate=0.2)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)

accumulate = 4
acc_grads = [ops.zeros_like(p) for p in opt.parameters]
n = 0
for epoch in range(15):
    perm = np.random.permutation(1400)
    for i in range(0, 1400, 20):
        idx = perm[i : i + 20]
        loss, grads = grad_fn(ms.Tensor(X[idx]), ms.Tensor(y[idx]))
        acc_grads = [a + g / accumulate for a, g in zip(acc_grads, grads)]
        n += 1
        if n % accumulate == 0:
            opt(tuple(acc_grads))
            acc_grads = [ops.zeros_like(p) for p in opt.parameters]
    pred = net(ms.Tensor(X[1400:])).asnumpy().argmax(1)
    print(epoch, float(loss), "acc", (pred == y[1400:]).mean())
