"""The quarter of the year from six readings of a weather station; quarters are numbered as people do."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(5)
rng = np.random.default_rng(5)
QUARTERS = 4
quarter = rng.integers(1, QUARTERS + 1, 1200)
phase = (quarter - 0.5) * np.pi / 2
readings = np.column_stack(
    [np.sin(phase), np.cos(phase), np.sin(phase + 0.7), np.cos(phase - 0.4), phase * 0, phase * 0]
)
readings = (readings + rng.normal(0, 0.5, readings.shape)).astype(np.float32)
quarter = quarter.astype(np.int32)

network = nn.SequentialCell(nn.Dense(6, 24), nn.ReLU(), nn.Dense(24, QUARTERS))
to_rows = nn.OneHot(depth=QUARTERS)
criterion = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
optimizer = nn.Adam(network.trainable_params(), 0.01)


def loss_of(x, y):
    return criterion(network(x), to_rows(y))


step = ms.value_and_grad(loss_of, None, optimizer.parameters)
for epoch in range(12):
    order = rng.permutation(900)
    for rows in np.array_split(order, 30):
        loss, gradients = step(Tensor(readings[rows]), Tensor(quarter[rows]))
        optimizer(gradients)
    print(f"epoch {epoch + 1}: loss {float(loss):.4f}")
guess = network(Tensor(readings[900:])).asnumpy().argmax(1)
print("right:", float((guess == quarter[900:]).mean()))
