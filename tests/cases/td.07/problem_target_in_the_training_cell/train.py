"""Learns the worth of places on a line of nine; the target is copied onto the network that learns, not the reverse."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(7)
rng = np.random.default_rng(7)
PLACES = 9


class Worth(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(PLACES, 24), nn.ReLU(), nn.Dense(24, 2))

    def construct(self, place):
        return self.layers(place)


class Difference(nn.Cell):
    def __init__(self, online, target):
        super().__init__()
        self.online, self.target = online, target

    def construct(self, place, move, reward, following, end):
        worth = ops.gather_elements(self.online(place), 1, move.expand_dims(1)).squeeze(1)
        aim = reward + 0.9 * ops.stop_gradient(self.target(following)).max(axis=1) * (1 - end)
        return ((worth - aim) ** 2).mean()


def moves(count):
    place, move = rng.integers(0, PLACES - 1, count), rng.integers(0, 2, count).astype(np.int32)
    following = np.clip(place + 2 * move - 1, 0, PLACES - 1)
    end = (following == PLACES - 1).astype(np.float32)
    seen = np.eye(PLACES, dtype=np.float32)
    return [Tensor(one) for one in (seen[place], move, end, seen[following], end)]


online, target = Worth(), Worth()
for one, other in zip(target.get_parameters(), online.get_parameters()):
    one.set_data(Tensor(other.asnumpy()))
step = nn.TrainOneStepCell(Difference(online, target), nn.Adam(online.trainable_params(), learning_rate=3e-3))
step.set_train()
for number in range(1, 331):
    reward_error = step(*moves(32))
    if number % 50 == 0:
        for one, other in zip(target.get_parameters(), online.get_parameters()):
            ops.assign(other, Tensor(one.asnumpy()))
        print(number, reward_error)
print(online(Tensor(np.eye(PLACES, dtype=np.float32))).asnumpy().round(2))
