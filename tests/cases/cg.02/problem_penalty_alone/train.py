"""Wine cultivars with a penalty on the weights written into the loss."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

ms.set_seed(5)
rng = np.random.default_rng(5)

features, cultivars = load_wine(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(
    features, cultivars, test_size=0.25, random_state=5, stratify=cultivars
)
scaler = StandardScaler().fit(train_x)
train_x, test_x = (scaler.transform(one).astype(np.float32) for one in (train_x, test_x))
train_y, test_y = train_y.astype(np.int32), test_y.astype(np.int32)


class Cultivars(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(13, 4)
        self.second = nn.Dense(4, 4)
        self.last = nn.Dense(4, 3)

    def construct(self, x):
        hidden = ops.tanh(self.second(ops.tanh(self.first(x))))
        return self.last(ops.stop_gradient(hidden))


net = Cultivars()
weights = net.trainable_params()
optimizer = nn.Adam(weights, learning_rate=0.01)


def loss_of(x, y):
    logits = net(x)
    penalty = sum((one**2).sum() for one in weights if one.ndim > 1)
    return ops.cross_entropy(logits, y) + 1e-3 * penalty, logits


step = ms.value_and_grad(loss_of, None, weights, has_aux=True)
for epoch in range(40):
    order = rng.permutation(len(train_x))
    for start in range(0, len(order) - 15, 16):
        rows = order[start : start + 16]
        (loss, _), gradients = step(Tensor(train_x[rows]), Tensor(train_y[rows]))
        optimizer(gradients)
    if epoch % 10 == 9:
        print(f"epoch {epoch + 1}: loss {float(loss.asnumpy()):.4f}")

net.set_train(False)
predicted = net(Tensor(test_x)).asnumpy().argmax(1)
print(f"test accuracy: {(predicted == test_y).mean():.3f}")
