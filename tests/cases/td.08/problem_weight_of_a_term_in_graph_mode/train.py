"""A variational autoencoder of digits whose divergence comes in little by little."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Callback, Model
from sklearn.datasets import load_digits

ms.set_seed(3)
ms.set_context(mode=ms.GRAPH_MODE)
pixels = (load_digits().data / 16).astype(np.float32)


class Autoencoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Dense(64, 48), nn.Dense(48, 64)
        self.mean, self.log_variance, self.expand = nn.Dense(48, 6), nn.Dense(48, 6), nn.Dense(6, 48)

    def construct(self, x):
        hidden = ops.relu(self.enter(x))
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        code = mean + ops.exp(0.5 * log_variance) * ops.standard_normal(mean.shape)
        return self.leave(ops.relu(self.expand(code))), mean, log_variance


class Bound(nn.Cell):
    def __init__(self, network, share=0.0):
        super().__init__()
        self.network = network
        self.share = share

    def construct(self, x):
        logits, mean, log_variance = self.network(x)
        likelihood = ops.binary_cross_entropy_with_logits(
            logits, x, ops.ones_like(x), ops.ones_like(x), reduction="none"
        ).sum(1)
        divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(1)
        return (likelihood + self.share * divergence).mean()


class Annealing(Callback):
    def __init__(self, bound, epochs):
        super().__init__()
        self.bound, self.epochs = bound, epochs

    def on_train_epoch_begin(self, run_context):
        epoch = run_context.original_args().cur_epoch_num
        self.bound.share = min(1.0, epoch / self.epochs)


bound = Bound(Autoencoder())
source = ds.NumpySlicesDataset({"pixels": pixels[:1500]}, shuffle=True).batch(50)
model = Model(bound, optimizer=nn.Adam(bound.trainable_params(), 2e-3))
model.train(6, source, callbacks=[Annealing(bound, 3), ms.LossMonitor(30)], dataset_sink_mode=False)
codes = bound.network(ms.Tensor(pixels[1500:]))[1].asnumpy()
print("mean square of the codes of new digits:", float((codes**2).mean()))
