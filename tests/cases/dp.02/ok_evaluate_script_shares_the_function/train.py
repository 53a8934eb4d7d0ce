"""Own step, own source; the evaluation script builds its data with the same function."""

import mindspore as ms
from data import Pictures, build
from mindspore import nn

ms.set_seed(7)
net = nn.SequentialCell(nn.Conv2d(3, 4, 3, pad_mode="valid"), nn.ReLU(), nn.Flatten(), nn.Dense(256, 2))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 2e-3)
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

net.set_train()
for epoch in range(2):
    for picture, kind in build(Pictures("train"), 40).create_tuple_iterator(num_epochs=1):
        loss, grads = step(picture, kind)
        optimizer(grads)
    print(epoch, float(loss))
