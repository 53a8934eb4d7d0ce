import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_wine

ms.set_context(mode=ms.GRAPH_MODE)
X, y = load_wine(return_X_y=True)
X = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
y = y.astype(np.int32)
idx = np.random.permutation(len(X))
X, y = X[idx], y[idx]


class WineClassifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(13, 32)
        self.fc2 = nn.Dense(32, 3)

    def construct(self, x):
        x = ops.relu(self.fc1(x))
        return self.fc2(x)


net = WineClassifier()
opt = nn.SGD(net.trainable_params(), learning_rate=0.02)


def forward(x, t):
    return ops.cross_entropy(net(x), t)


grad_fn = ms.value_and_grad(forward, None, opt.parameters)


@ms.jit
def train_step(x, t):
    loss, grads = grad_fn(x, t)
    opt(grads)
    return loss


for epoch in range(20):
    for i in range(0, 140, 10):
        loss = train_step(Tensor(X[i : i + 10]), Tensor(y[i : i + 10]))
    if epoch % 5 == 4:
        print(epoch, loss)
pred = net(Tensor(X[140:])).asnumpy()
p = pred if pred.min() >= 0 else np.exp(pred) / np.exp(pred).sum(1, keepdims=True)
print("accuracy", (pred.argmax(1) == y[140:]).mean(), "loss", float(ops.cross_entropy(Tensor(pred), Tensor(y[140:]))))
