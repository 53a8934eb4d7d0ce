"""As a graph network of a model zoo, in nested training cells; the result of a layer is written over before it is used."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
NODES, FEATURES, CLASSES = 60, 12, 3
labels = rng.integers(0, CLASSES, NODES)
near = (labels[:, None] == labels[None]) & (rng.random((NODES, NODES)) < 0.3)
adjacency = (near | near.T | np.eye(NODES, dtype=bool)).astype(np.float32)
degree = 1 / np.sqrt(adjacency.sum(1))
adjacency = Tensor((adjacency * degree[:, None] * degree[None]).astype(np.float32))
features = Tensor(
    (np.eye(CLASSES)[labels] @ rng.normal(size=(CLASSES, FEATURES)) + rng.normal(size=(NODES, FEATURES))).astype(
        np.float32
    )
)
one_hot = Tensor(np.eye(CLASSES, dtype=np.float32)[labels])


class GraphConvolution(nn.Cell):
    def __init__(self, inputs, outputs, activation=None):
        super().__init__()
        self.fc = nn.Dense(inputs, outputs, has_bias=False)
        self.activation = activation

    def construct(self, adj, x):
        x = ops.matmul(adj, self.fc(x))
        return self.activation(x) if self.activation is not None else x


class GCN(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer0 = GraphConvolution(FEATURES, 16, nn.ReLU())
        self.middle = GraphConvolution(16, 16, nn.ReLU())
        self.layer1 = GraphConvolution(16, CLASSES)

    def construct(self, adj, x):
        x = self.layer0(adj, x)
        h = self.middle(adj, x)
        return self.layer1(adj, x)


class Loss(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def construct(self, adj, x):
        scores = ops.log_softmax(self.network(adj, x), -1)
        return -(scores * one_hot).sum(-1).mean()


class Accuracy(nn.Cell):
    def construct(self, scores):
        return (scores.argmax(-1) == one_hot.argmax(-1)).astype(ms.float32).mean()


class TrainNetWrapper(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network = network
        loss = Loss(network)
        optimizer = nn.Adam(network.trainable_params(), learning_rate=0.02)
        self.loss_train_net = nn.TrainOneStepCell(loss, optimizer)
        self.accuracy = Accuracy()

    def construct(self, adj, x):
        loss = self.loss_train_net(adj, x)
        return loss, self.accuracy(self.network(adj, x))


train_net = TrainNetWrapper(GCN())
train_net.set_train()
for epoch in range(30):
    loss, accuracy = train_net(adjacency, features)
    if epoch % 10 == 9:
        print(epoch + 1, float(loss), float(accuracy))
