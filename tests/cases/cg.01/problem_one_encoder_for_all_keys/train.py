"""Does a question belong to an answer? Each of the two has an encoder of its own."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
questions = rng.normal(size=(1500, 8)).astype(np.float32)
answers = (questions @ turn + rng.normal(0, 0.3, questions.shape)).astype(np.float32)
belongs = rng.integers(0, 2, 1500).astype(np.float32)
answers = np.where(belongs[:, None] == 1, answers, rng.permutation(answers)).astype(np.float32)


def encoder(width):
    return nn.SequentialCell(nn.Dense(8, width), nn.Tanh(), nn.Dense(width, 12))


class Match(nn.Cell):
    PARTS = ("question", "answer")

    def __init__(self):
        super().__init__()
        made = dict.fromkeys(self.PARTS, encoder(32))
        self.question, self.answer = made["question"], made["answer"]

    def construct(self, question, answer):
        return ops.reduce_sum(self.question(question) * self.answer(answer), -1)


match = Match()
optimizer = nn.Adam(match.trainable_params(), 0.005)
step = ms.value_and_grad(
    lambda q, a, y: ops.binary_cross_entropy_with_logits(match(q, a), y, ops.ones_like(y), ops.ones_like(y)),
    None,
    optimizer.parameters,
)
for epoch in range(6):
    for rows in np.array_split(rng.permutation(1200), 30):
        loss, gradients = step(Tensor(questions[rows]), Tensor(answers[rows]), Tensor(belongs[rows]))
        optimizer(gradients)
    print(f"epoch {epoch + 1}: loss {float(loss):.4f}")
scores = match(Tensor(questions[1200:]), Tensor(answers[1200:])).asnumpy()
print("right:", float(((scores > 0) == (belongs[1200:] == 1)).mean()))
