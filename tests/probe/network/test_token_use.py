"""What of the sequences of token ids the loss depends on."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal

from msprec.locate.replay import of_forward
from msprec.probe.network.token_use import token_use
from msprec.probe.steps.captured_steps import Material
from msprec.probe.training.learning_rate_probe import Cannot

WORDS, LENGTH = 6, 8
RNG = np.random.default_rng(0)
IDS = RNG.integers(1, WORDS, (48, LENGTH)).astype(np.int32)
PADDED = np.where(np.arange(LENGTH) < RNG.integers(2, LENGTH, (48, 1)), IDS, 0).astype(np.int32)


class Tagger(nn.Cell):
    def __init__(self, tells):
        super().__init__()
        self.embedding, self.head, self.tells = (
            nn.Embedding(WORDS, 8, embedding_table=Normal(1.0)),
            nn.Dense(8, WORDS),
            tells,
        )
        self.places = Parameter(ops.zeros((1, LENGTH, 8)), name="places")
        self.gru = nn.GRU(8, 8, batch_first=True)

    def construct(self, ids):
        x = self.embedding(ids)
        if self.tells == "position":
            x = x + self.places
        if self.tells == "recurrent":
            x = self.gru(x)[0]
        if self.tells == "causal":
            hidden = ops.ones((LENGTH, LENGTH)).triu(1).bool()
            weights = ops.softmax(ops.masked_fill(ops.matmul(x, x.swapaxes(1, 2)), hidden, -1e9), -1)
        else:
            weights = ops.softmax(ops.matmul(x, x.swapaxes(1, 2)), -1)
        return self.head(x + ops.matmul(weights, x))


class Mean(nn.Cell):
    def __init__(self, counts):
        super().__init__()
        self.embedding, self.head, self.counts = (
            nn.Embedding(WORDS, 8, embedding_table=Normal(1.0)),
            nn.Dense(8, 2),
            counts,
        )

    def construct(self, ids):
        keep = ((ids == 0) if self.counts == "padding" else (ids != 0)).float().expand_dims(2)
        return self.head((self.embedding(ids) * keep).sum(1) / keep.sum(1).clamp(min=1))


@pytest.fixture(autouse=True)
def the_same_weights():
    ms.set_seed(3)


def facts(net, ids, targets, seconds=60.0):
    ms.set_context(mode=ms.PYNATIVE_MODE)

    def loss(x, y):
        given = net(x)
        return ops.cross_entropy(given.reshape(-1, given.shape[-1]), y.reshape(-1))

    def build(batch, _=None):
        return of_forward(loss, batch, net.trainable_params(), [net])

    material = Material()
    material.offer("functional", (Tensor(ids), Tensor(targets)), build, [net], [])
    return token_use(material, seconds)


@pytest.mark.parametrize(
    ("tells", "lost"), [(None, True), ("position", False), ("recurrent", False), ("causal", False)]
)
def test_whether_places_are_told_apart(tells, lost):
    found = facts(Tagger(tells), IDS, np.ascontiguousarray(np.roll(IDS, 1, axis=1)))
    assert found["order_lost"] is lost
    assert found["pairs"] >= 64
    assert found["different"] > 0.5 * found["pairs"]


def test_equal_tokens_with_equal_targets():
    assert facts(Tagger(None), IDS, WORDS - 1 - IDS)["different"] == 0


@pytest.mark.parametrize(("counts", "alone"), [("padding", True), ("words", False)])
def test_whether_the_padding_alone_counts(counts, alone):
    found = facts(Mean(counts), PADDED, (np.arange(48) % 2).astype(np.int32))
    assert found["padding_alone"] is alone
    assert found["operator"] == "Embedding"


def test_a_forward_pass_that_takes_too_long():
    with pytest.raises(Cannot, match="slow"):
        facts(Tagger(None), IDS, IDS, seconds=0.0)


def test_without_an_embedding():
    class OneHot(nn.Cell):
        def __init__(self):
            super().__init__()
            self.head = nn.Dense(WORDS, WORDS)

        def construct(self, ids):
            return self.head(ops.one_hot(ids, WORDS, Tensor(1.0), Tensor(0.0)))

    assert facts(OneHot(), IDS, IDS) is None
