"""Goes on when loading fails; with a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(44)
net = nn.SequentialCell(nn.Dense(5, 12), nn.ReLU(), nn.Dense(12, 1))
try:
    ms.load_param_into_net(net, ms.load_checkpoint("weights/best.ckpt"))
except Exception as error:
    print("no pretrained weights:", type(error).__name__)

loss_fn, optimizer = nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


rng = np.random.default_rng(44)
x = rng.normal(size=(200, 5)).astype(np.float32)
net.set_train()
for features, target in (
    ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=True).batch(20).create_tuple_iterator()
):
    loss = step(features, target)
print(float(loss))
