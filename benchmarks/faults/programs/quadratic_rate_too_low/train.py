import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

x = np.random.uniform(-2, 2, size=(400, 1)).astype(np.float32)
y = (x**2 + 0.5 * x).astype(np.float32)

net = nn.SequentialCell(nn.Dense(1, 20), nn.Tanh(), nn.Dense(20, 1))
loss_func = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)


def forward_fn(inputs, targets):
    prediction = net(inputs)
    return loss_func(prediction, targets)


grad_fn = ms.value_and_grad(forward_fn, None, weights=net.trainable_params())


@ms.jit
def train_step(inputs, targets):
    loss, grads = grad_fn(inputs, targets)
    optimizer(grads)
    return loss


for t in range(300):
    loss = train_step(Tensor(x), Tensor(y))
    if t % 50 == 0:
        print(t, loss)
print("final", loss)
