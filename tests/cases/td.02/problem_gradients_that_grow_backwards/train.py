"""Twenty-six tanh layers drawn with four times the usual weights: the gradient grows from layer to layer towards the input."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
rng = np.random.default_rng(2)
WIDTH, DEPTH = 32, 26
x = rng.normal(size=(640, WIDTH)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(WIDTH, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Deep(nn.Cell):
    def __init__(self):
        super().__init__()
        drawn = Normal(4 / WIDTH**0.5)
        self.layers = nn.CellList([nn.Dense(WIDTH, WIDTH, weight_init=drawn) for _ in range(DEPTH)])
        self.out = nn.Dense(WIDTH, 4)

    def construct(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return self.out(x)


net, loss_fn = Deep(), nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(4):
    for x, y in data.create_tuple_iterator():
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, float(loss))
