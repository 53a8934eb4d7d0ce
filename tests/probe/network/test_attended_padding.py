"""How much of the weight of attention lies on padding."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.attended_padding import attended_padding
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

LENGTH = 6
IDS = np.array(
    [[3, 4, 5, 6, 7, 8], [3, 4, 0, 0, 0, 0], [5, 6, 7, 0, 0, 0], [8, 9, 2, 4, 0, 0], [2, 3, 4, 0, 0, 0]], np.int32
)


class Net(nn.Cell):
    def __init__(self, hides):
        super().__init__()
        self.embedding, self.head, self.hides = nn.Embedding(10, 8, embedding_table="normal"), nn.Dense(8, 2), hides

    def construct(self, ids):
        x = self.embedding(ids)
        scores = ops.matmul(x, x.swapaxes(1, 2))
        if self.hides is not None:
            hidden = (ids == 0) if self.hides == "padding" else (ids != 0)
            scores = ops.masked_fill(scores, hidden.expand_dims(1), -1e9)
        return self.head(ops.matmul(ops.softmax(scores, -1), x)[:, 0])


def facts(hides, ids):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(4)  # of the vector of the padding
    net = hides if isinstance(hides, nn.Cell) else Net(hides)
    labels = Tensor(np.arange(len(ids)) % 2, ms.int32)

    def build(batch, _=None):
        return of_forward(lambda x, y: ops.cross_entropy(net(x), y), batch, net.trainable_params(), [net])

    material = Material()
    material.offer("functional", (Tensor(ids), labels), build, [net], [])
    return attended_padding(InferenceTraces(material))


@pytest.mark.parametrize("ids", [IDS, IDS[:, ::-1].copy()])
@pytest.mark.parametrize(("hides", "low", "high"), [("padding", 0, 1e-6), ("words", 0.999999, 1), (None, 0.1, 0.9)])
def test_share_on_padding(ids, hides, low, high):
    found = facts(hides, ids)
    assert found["samples"] == 4
    assert [low <= one["least"] <= high for one in found["softmaxes"]] == [True]


class Pooled(nn.Cell):
    """Attention of two heads that pools vectors, its softmax along the places."""

    def __init__(self, sign):
        super().__init__()
        self.score, self.head, self.sign = nn.Dense(8, 2), nn.Dense(16, 2), sign

    def construct(self, x):
        real = (x != 0).any(-1).astype(ms.float32)
        weights = ops.softmax(self.score(x) + self.sign * 1e4 * (1 - real).expand_dims(-1), 1)
        return self.head((weights.expand_dims(-1) * x.expand_dims(2)).sum(1).reshape(len(x), 16))


@pytest.mark.parametrize(("sign", "low", "high"), [(-1, 0, 1e-6), (1, 0.999999, 1)])
def test_pooled_vectors(sign, low, high):
    vectors = np.random.default_rng(1).normal(size=(*IDS.shape, 8)).astype(np.float32) * (IDS != 0)[..., None]
    found = facts(Pooled(sign), vectors)
    assert [low <= one["least"] and one["mean"] <= high + 1e-6 for one in found["softmaxes"]] == [True]


def test_zero_is_a_word_too():
    ids = IDS.copy()
    ids[2, 0] = 0
    assert facts("padding", ids) is None


class Mixed(nn.Cell):
    """Attention of one class in two places, of which the second hides the words."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(10, 8, embedding_table="normal"), nn.Dense(8, 2)
        self.first, self.second = Mix(), Mix()

    def construct(self, ids):
        x = self.embedding(ids)
        x = self.first(x, (ids == 0).expand_dims(1))
        return self.head(self.second(x, (ids != 0).expand_dims(1))[:, 0])


class Mix(nn.Cell):
    def construct(self, x, hidden):
        scores = ops.masked_fill(ops.matmul(x, x.swapaxes(1, 2)), hidden, -1e9)
        return ops.matmul(ops.softmax(scores, -1), x)


def test_one_line_in_two_cells(monkeypatch):
    monkeypatch.setitem(globals(), "Net", lambda hides: Mixed())
    assert [round(one["least"]) for one in facts(None, IDS)["softmaxes"]] == [0, 1]


class Averaged(Net):
    """Word vectors averaged over all places, or over the words alone."""

    def construct(self, ids):
        x = self.embedding(ids)
        if self.hides is None:
            return self.head(x.mean(axis=1))
        mask = (ids != 0).astype(ms.float32).expand_dims(-1)
        return self.head(
            ops.mean(x * mask, 1, True)[:, 0] if self.hides == "words" else (x * mask).sum(1) / mask.sum(1)
        )


@pytest.mark.parametrize(("hides", "shares"), [(None, [0.2, 0.9]), ("words", [0, 1e-9]), ("divides", None)])
def test_share_of_a_mean(monkeypatch, hides, shares):
    monkeypatch.setitem(globals(), "Net", Averaged)
    means = facts(hides, IDS)["means"]
    assert [shares[0] <= one["share"] <= shares[1] for one in means] == ([True] if shares else [])


class Weighed(nn.Cell):
    """Scores with a mask of the padding, or of the words, and a softmax along the samples, which tells nothing of either."""

    def __init__(self, hidden):
        super().__init__()
        self.embedding, self.score, self.head = (
            nn.Embedding(10, 8, embedding_table="normal"),
            nn.Dense(8, 1),
            nn.Dense(8, 2),
        )
        self.hidden = hidden

    def construct(self, ids):
        x = self.embedding(ids)
        hidden = (ids == 0) if self.hidden == "padding" else (ids != 0)
        scores = self.score(x).squeeze(-1) - 1e9 * hidden.astype(ms.float32)
        return self.head((ops.softmax(scores, axis=0).expand_dims(-1) * x).sum(axis=1))


@pytest.mark.parametrize(("hidden", "real", "padding"), [("padding", 0.0, 1.0), ("words", 1.0, 0.0)])
def test_scores_that_are_taken_far_below(hidden, real, padding):
    made = facts(Weighed(hidden), IDS)
    assert made["softmaxes"] == []
    assert {(one["real"], one["padding"]) for one in made["hiding"] if one["place"]} <= {(real, padding)}
    assert made["hiding"]
