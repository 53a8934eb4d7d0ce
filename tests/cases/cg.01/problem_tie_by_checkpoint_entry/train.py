"""The output layer is to share the table of the embedding; what is shared is an entry of the state that is loaded."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
tokens = rng.integers(0, 20, size=(320, 6)).astype(np.int32)
following = ((tokens[:, -1] + 1) % 20).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 16, embedding_table="normal")
        self.mix = nn.Dense(16, 16)
        self.head = nn.Dense(16, 20)

    def construct(self, x):
        return self.head(ops.tanh(self.mix(self.embedding(x).mean(1))))


net = Net()
state = net.parameters_dict()
values = {"head.weight": ms.Parameter(state["embedding.embedding_table"].value().copy(), name="head.weight")}
ms.load_param_into_net(net, values)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)
gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    order = rng.permutation(320)
    for start in range(0, 320, 32):
        picked = order[start : start + 32]
        loss, grads = gradient(Tensor(tokens[picked]), Tensor(following[picked]))
        optimizer(grads)
    print(epoch, float(loss))
