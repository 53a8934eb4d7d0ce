import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
y = np.array([[0], [1], [1], [0]], dtype=np.float32)

model = nn.SequentialCell(
    nn.Dense(2, 8),
    nn.Tanh(),
    nn.Dense(8, 1),
    nn.Sigmoid(),
)
loss_fn = nn.BCELoss(reduction="mean")
optimizer = nn.Adam(model.trainable_params(), learning_rate=0.05)


def forward(x, t):
    return loss_fn(model(x), t)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

for epoch in range(500):
    loss, grads = grad_fn(Tensor(X), Tensor(y))
    optimizer(grads)
    if epoch % 100 == 0:
        print("epoch", epoch, "loss", loss)

print("accuracy", ((model(Tensor(X)).asnumpy() > 0.5) == y).mean())
