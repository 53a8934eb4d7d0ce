"""Pairs of temperatures (in degrees) at two ends of a room, to be made up by a small GAN."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
north = rng.uniform(14, 24, (1200, 1))
rooms = np.concatenate([north, north + rng.normal(2, 0.3, (1200, 1))], 1).astype(np.float32) - 20

maker = nn.SequentialCell(
    nn.Dense(6, 24),
    nn.ReLU(),
    nn.Dense(24, 2),
    nn.Tanh(),
)
judge = nn.SequentialCell(nn.Dense(2, 24), nn.LeakyReLU(0.2), nn.Dense(24, 1))
of_maker = nn.Adam(maker.trainable_params(), learning_rate=1e-3, beta1=0.5)
of_judge = nn.Adam(judge.trainable_params(), learning_rate=1e-3, beta1=0.5)
loss = nn.BCEWithLogitsLoss()


def judging(real, noise):
    right, wrong = judge(real), judge(ops.stop_gradient(maker(noise)))
    return loss(right, ops.ones_like(right)) + loss(wrong, ops.zeros_like(wrong))


def making(noise):
    score = judge(maker(noise))
    return loss(score, ops.ones_like(score))


judge_step = ms.value_and_grad(judging, None, of_judge.parameters)
maker_step = ms.value_and_grad(making, None, of_maker.parameters)
for step in range(150):
    real = Tensor(rooms[rng.integers(0, len(rooms), 64)])
    noise = Tensor(rng.normal(size=(64, 6)).astype(np.float32))
    judged, gradients = judge_step(real, noise)
    of_judge(gradients)
    made, gradients = maker_step(noise)
    of_maker(gradients)
    if step % 50 == 0:
        print(step, float(judged), float(made))
