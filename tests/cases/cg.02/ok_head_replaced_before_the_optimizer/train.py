"""Learns loud from soft first, then which of five tones: the new last layer comes before the new optimizer."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(6)
rng = np.random.default_rng(6)
tones = rng.integers(0, 5, 500).astype(np.int32)
time = np.arange(24) / 24
sounds = (np.sin(2 * np.pi * (tones[:, None] + 1) * time) + rng.normal(0, 0.4, (500, 24))).astype(np.float32)


class Listener(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ear, self.head = nn.SequentialCell(nn.Dense(24, 32), nn.ReLU()), nn.Dense(32, 2)

    def construct(self, sound):
        return self.head(self.ear(sound))


class Lessons:
    def __init__(self, net):
        self.net, self.loss = net, nn.CrossEntropyLoss()
        self.prepare()

    def prepare(self):
        self.optimizer = nn.Adam(self.net.trainable_params(), learning_rate=3e-3)
        self.step = ms.value_and_grad(self.forward, None, self.optimizer.parameters)

    def forward(self, sound, label):
        return self.loss(self.net(sound), label)

    def teach(self, labels, epochs):
        self.net.set_train()
        for epoch in range(epochs):
            order = rng.permutation(500)
            for begin in range(0, 500, 25):
                part = order[begin : begin + 25]
                loss, gradients = self.step(Tensor(sounds[part]), Tensor(labels[part]))
                self.optimizer(gradients)
            print(epoch, loss)


lessons = Lessons(Listener())
lessons.teach((tones > 2).astype(np.int32), 4)
lessons.net.head = nn.Dense(32, 5)
lessons.prepare()
lessons.teach(tones, 6)
