"""A function gathers predictions over a data set that is shuffled, and r2_score holds them against the array in its own order."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model
from sklearn.metrics import r2_score

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(800, 5)).astype(np.float32)
y = (x @ rng.normal(size=(5, 1)) + 0.1 * rng.normal(size=(800, 1))).astype(np.float32)
x_fit, x_rest, y_fit, y_rest = x[:600], x[600:], y[:600], y[600:]


def collect(model, batches):
    gathered = []
    for features, _ in batches:
        gathered.append(model.predict(features).asnumpy())
    return np.concatenate(gathered)


def main():
    fit = ds.NumpySlicesDataset((x_fit, y_fit), ["x", "y"], shuffle=True).batch(30)
    rest = ds.NumpySlicesDataset((x_rest, y_rest), ["x", "y"]).batch(50)  # here
    net = nn.SequentialCell(nn.Dense(5, 16), nn.ReLU(), nn.Dense(16, 1))
    model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), learning_rate=0.01))
    model.train(12, fit, dataset_sink_mode=False)
    prices = collect(model, rest)
    print(r2_score(y_rest, prices))


main()
