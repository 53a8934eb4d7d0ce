"""How far a walk goes: every 15 steps the target is given the weights of a network that was just made."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(4)
rng = np.random.default_rng(4)
STATES = 8


class Value(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(STATES, 20), nn.Dense(20, 1)

    def construct(self, x):
        return self.out(ms.ops.tanh(self.hidden(x)))


def copy_weights(source, goal):
    ms.load_param_into_net(
        goal, {one.name: ms.Parameter(one.value().copy(), name=one.name) for one in source.get_parameters()}
    )


online, target = Value(), Value()
copy_weights(online, target)
step = nn.TrainOneStepCell(nn.WithLossCell(online, nn.MSELoss()), nn.Adam(online.trainable_params(), 0.003))
step.set_train()
places = np.eye(STATES, dtype=np.float32)
for turn in range(150):
    at = rng.integers(0, STATES - 1, 32)
    later = target(Tensor(places[at + 1])).asnumpy()[:, 0]
    wanted = (at + 1 == STATES - 1) + 0.9 * np.where(at + 1 == STATES - 1, 0.0, later)
    loss = step(Tensor(places[at]), Tensor(wanted[:, None].astype(np.float32)))
    if turn % 15 == 14:
        copy_weights(Value(), target)
print("loss", loss)
