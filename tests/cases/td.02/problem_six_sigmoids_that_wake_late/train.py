"""Digits read by a deep network whose activation is chosen once, at the top."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from sklearn.datasets import load_digits

ms.set_seed(5)
rng = np.random.default_rng(5)
pixels, digits = load_digits(return_X_y=True)
pixels, digits = (pixels / 8 - 0.6).astype(np.float32), digits.astype(np.int32)
ACTIVATION = nn.Sigmoid


class Reader(nn.Cell):
    def __init__(self, depth=6, width=48):
        super().__init__()
        sizes = [64, *[width] * depth]
        parts = []
        for before, after in zip(sizes, sizes[1:]):
            parts += [nn.Dense(before, after, weight_init="xavier_uniform"), ACTIVATION()]
        self.body = nn.SequentialCell(parts)
        self.head = nn.Dense(width, 10)

    def construct(self, x):
        return self.head(self.body(x))


reader = Reader()
loss_of, optimizer = nn.CrossEntropyLoss(), nn.Adam(reader.trainable_params(), 0.001)
step = ms.value_and_grad(lambda x, y: loss_of(reader(x), y), None, optimizer.parameters)
for epoch in range(18):
    losses = []
    for rows in np.array_split(rng.permutation(1300), 40):
        loss, gradients = step(Tensor(pixels[rows]), Tensor(digits[rows]))
        optimizer(gradients)
        losses.append(float(loss))
    if epoch % 6 == 5:
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}")
reader.set_train(False)
guess = reader(Tensor(pixels[1300:])).asnumpy().argmax(1)
print("right:", float((guess == digits[1300:]).mean()))
