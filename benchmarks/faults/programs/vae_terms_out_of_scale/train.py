import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(2)
X = (load_digits().data / 16).astype(np.float32)


class VAE(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enc = nn.Dense(64, 48)
        self.mu = nn.Dense(48, 8)
        self.logvar = nn.Dense(48, 8)
        self.dec1 = nn.Dense(8, 48)
        self.dec2 = nn.Dense(48, 64)

    def construct(self, x):
        h = ops.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + ops.exp(0.5 * logvar) * ops.standard_normal(mu.shape)
        return ops.sigmoid(self.dec2(ops.relu(self.dec1(z)))), mu, logvar


net = VAE()
opt = nn.Adam(net.trainable_params(), 0.003)


def loss_fn(x):
    recon, mu, logvar = net(x)
    rec = ((recon - x) ** 2).sum(1).mean()
    kl = -0.5 * (1 + logvar - mu**2 - ops.exp(logvar)).sum(1).mean()
    return rec + kl


grad_fn = ms.value_and_grad(loss_fn, None, opt.parameters)
train = ds.NumpySlicesDataset(X[:1500], ["x"], shuffle=True).batch(50)
for epoch in range(12):
    for (x,) in train.create_tuple_iterator():
        loss, grads = grad_fn(x)
        opt(grads)
    print(epoch, loss)
recon = net(ms.Tensor(X[1500:]))[0].asnumpy()
print(
    "recon mse", float(((recon - X[1500:]) ** 2).mean()), "constant", float(((X[1500:].mean(0) - X[1500:]) ** 2).mean())
)
