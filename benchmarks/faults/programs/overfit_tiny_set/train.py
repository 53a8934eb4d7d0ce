import mindspore as ms
import numpy as np
from mindspore import nn

rng = np.random.RandomState(1)
X = rng.randn(2000, 20).astype(np.float32)
w = rng.randn(20)
y = ((X @ w + 2.5 * rng.randn(2000)) > 0).astype(np.int32)
N = 60
xt, yt = ms.Tensor(X[:N]), ms.Tensor(y[:N])
xv, yv = ms.Tensor(X[1000:]), ms.Tensor(y[1000:])
net = nn.SequentialCell(nn.Dense(20, 128), nn.ReLU(), nn.Dense(128, 128), nn.ReLU(), nn.Dense(128, 2))
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 0.002)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
epochs = 12
for epoch in range(epochs):
    net.set_train()
    for i in range(0, N, 20):
        loss, g = grad_fn(xt[i : i + 20], yt[i : i + 20])
        opt(g)
    net.set_train(False)
    out = net(xv)
    if epoch % 3 == 0:
        print(
            epoch,
            "loss",
            float(loss),
            "val_loss",
            float(loss_fn(out, yv)),
            "val_acc",
            float((out.argmax(1) == yv).astype(ms.float32).mean()),
        )
