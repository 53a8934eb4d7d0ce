"""A critic that tells noise from data, with a fixed loss scale."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from penalty import gradient_penalty

ms.set_seed(46)
rng = np.random.default_rng(46)
labels = rng.integers(0, 3, 192).astype(np.int32)
centres = rng.normal(size=(3, 12)).astype(np.float32)
features = (centres[labels] + rng.normal(scale=0.5, size=(192, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((features, labels), ["x", "y"], shuffle=True).batch(32)

critic = nn.SequentialCell(nn.Dense(12, 32), nn.Tanh(), nn.Dense(32, 1))
optimizer = nn.Adam(critic.trainable_params(), learning_rate=0.005)
scaler = amp.StaticLossScaler(scale_value=256)


def scaled_score(x):
    return scaler.scale(critic(x).sum())


slope_fn = ms.grad(scaled_score)


def forward(real, fake, share):
    distance = critic(fake).mean() - critic(real).mean()
    return scaler.scale(distance + 10.0 * gradient_penalty(slope_fn, real, fake, share))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
critic.set_train()
for epoch in range(2):
    for real, _ in train_set.create_tuple_iterator():
        fake = ms.Tensor(rng.normal(size=real.shape).astype(np.float32))
        share = ms.Tensor(rng.random((real.shape[0], 1)).astype(np.float32))
        loss, grads = grad_fn(real, fake, share)
        optimizer(scaler.unscale(grads))
    print(epoch, float(loss))
