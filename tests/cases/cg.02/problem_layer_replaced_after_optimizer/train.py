"""Takes a net with ten outputs over for a task with four classes; the step is a cell of its own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import make_classification

ms.set_seed(17)

x, y = make_classification(n_samples=1200, n_features=12, n_informative=8, n_classes=4, random_state=17)
x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y.astype(np.int32)}, shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self, outputs=10):
        super().__init__()
        self.hidden = nn.Dense(12, 48, activation="relu")
        self.head = nn.Dense(48, outputs)

    def construct(self, x):
        return self.head(self.hidden(x))


class TrainStep(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.optimizer = optimizer
        self.loss = nn.CrossEntropyLoss()
        self.grad = ops.value_and_grad(self.forward, None, optimizer.parameters)

    def forward(self, x, y):
        return self.loss(self.network(x), y)

    def construct(self, x, y):
        loss, grads = self.grad(x, y)
        self.optimizer(grads)
        return loss


net = Net()
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
net.head = nn.Dense(48, 4)

step = TrainStep(net, optimizer)
step.set_train()
batches = train_set.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    losses = [float(step(features, label)) for features, label in batches]
    print(f"epoch {epoch}: {np.mean(losses):.3f}")
