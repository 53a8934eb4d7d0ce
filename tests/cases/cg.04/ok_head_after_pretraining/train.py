"""An autoencoder first; then its encoder with a linear classifier before a loss that computes the softmax itself."""

import mindspore as ms
from mindspore import nn
from sklearn.datasets import load_iris

ms.set_seed(1)
table = load_iris()
features = ms.Tensor((table.data - table.data.mean(0)) / table.data.std(0), ms.float32)
species = ms.Tensor(table.target, ms.int32)

encoder = nn.SequentialCell(nn.Dense(4, 16), nn.Tanh(), nn.Dense(16, 6), nn.Tanh())
decoder = nn.Dense(6, 4)
squares, entropy = nn.MSELoss(), nn.CrossEntropyLoss()


def train(forward, parameters, inputs, rate, steps):
    optimizer = nn.Adam(parameters, rate)
    gradient = ms.value_and_grad(forward, None, optimizer.parameters)
    for number in range(steps):
        rows = slice(number % 5, None, 5)
        loss, gradients = gradient(*(one[rows] for one in inputs))
        optimizer(gradients)
    print(loss)


def reconstruct(x):
    return squares(decoder(encoder(x)), x)


train(reconstruct, [*encoder.trainable_params(), *decoder.trainable_params()], [features], 0.01, 40)
head = nn.Dense(6, 3)


def classify(x, y):
    return entropy(head(encoder(x)), y)


train(classify, [*encoder.trainable_params(), *head.trainable_params()], [features, species], 0.01, 40)
