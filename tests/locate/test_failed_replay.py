"""A step that compiles and cannot be run again operator by operator: its replay fails, and the script goes on as without it."""

SCRIPT = """
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.pool, self.fc = nn.Conv2d(1, 2, 3), nn.MaxPool2d(2, 2), nn.Dense(32, 1)

    def construct(self, x):
        h = self.fc(self.pool(self.conv(x)).reshape((x.shape[0], -1)))
        return h * (h.max(1) < 100.0).astype(ms.float32).sum()


net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.01)


def forward(x, zero):
    return (net(x) / zero).mean()


gradient = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(x, zero):
    value, grads = gradient(x, zero)
    return ops.depend(value, optimizer(grads))


random = np.random.RandomState(0)
for number in range(4):
    print(number, step(Tensor(random.randn(4, 1, 8, 8).astype(np.float32)), Tensor(0.0 if number == 1 else 1.0, ms.float32)))
"""


def test_the_script_goes_on_after_a_replay_that_failed(scripts):
    """`Tensor.max(axis)` gives a tensor in a graph and a pair in PyNative mode; the error leaves a gradient open."""
    scripts.write(SCRIPT)
    bare, observed = scripts.bare(), scripts.observed()
    assert (bare.status, observed.status) == (0, 0), observed.err
    assert observed.out == bare.out
    located = [event for event in scripts.events() if event["event"] == "located"]
    assert located and "the replay failed" in located[0]["why_not"]
