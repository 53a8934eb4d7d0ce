"""A float16 network for two moons, trained by a step that asks for overflow by itself."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import make_moons

ms.set_seed(2)
points, moon = make_moons(1200, noise=0.1, random_state=2)
points, moon = points.astype(np.float32), moon.astype(np.int32)


class CheckedStep(nn.TrainOneStepWithLossScaleCell):
    """Leaves an update out where a gradient is not finite, and counts how often."""

    def __init__(self, network, optimizer, scale):
        super().__init__(network, optimizer, scale)
        self.left_out = 0

    def construct(self, *batch):
        loss = self.network(*batch)
        factor = self.scale_sense.value()
        gradients = self.grad(self.network, self.weights)(*batch, ops.ones_like(loss) * factor.astype(loss.dtype))
        gradients = [one.astype(ms.float32) / factor for one in gradients]
        beyond = any(not bool(ops.isfinite(one).all()) for one in gradients)
        if beyond:
            self.left_out += 1
            return loss, beyond
        self.optimizer(tuple(gradients))
        return loss, beyond


class Moons(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(2, 32), nn.Tanh(), nn.Dense(32, 2)).to_float(ms.float16)

    def construct(self, x):
        return self.layers(x).astype(ms.float32)


network = Moons()
manager = nn.DynamicLossScaleUpdateCell(2.0**24, 2, 500)
step = CheckedStep(nn.WithLossCell(network, nn.CrossEntropyLoss()), nn.Adam(network.trainable_params(), 0.005), manager)
step.set_train()
rng = np.random.default_rng(2)
for epoch in range(4):
    for rows in np.array_split(rng.permutation(900), 30):
        loss, _ = step(Tensor(points[rows]), Tensor(moon[rows]))
    print(f"epoch {epoch + 1}: loss {float(loss):.4f}")
network.set_train(False)
print("right:", float((network(Tensor(points[900:])).asnumpy().argmax(1) == moon[900:]).mean()))
