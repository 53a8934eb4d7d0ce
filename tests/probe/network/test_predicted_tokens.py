"""Which token of its sequence an output is held against."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.predicted_tokens import predicted_tokens
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

TEXT = np.random.default_rng(0).integers(0, 12, (16, 11)).astype(np.int32)


class Model(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(12, 8, embedding_table="normal"), nn.Dense(8, 12)

    def construct(self, ids):
        return self.head(self.embedding(ids))


def facts(ids, targets, loss):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = Model()

    def build(batch, _=None):
        return of_forward(lambda x, y: loss(net(x), y), batch, net.trainable_params(), [net])

    material = Material()
    material.offer("functional", (Tensor(ids), Tensor(targets)), build, [net], [])
    return predicted_tokens(InferenceTraces(material))


def plain(logits, targets):
    return ops.cross_entropy(logits.reshape((-1, 12)), targets.reshape((-1,)))


def shifting(logits, targets):
    return ops.cross_entropy(logits[:, :-1].reshape((-1, 12)), targets[:, 1:].reshape((-1,)))


def turned(logits, targets):
    return ops.cross_entropy(logits.swapaxes(1, 2), targets)


@pytest.mark.parametrize(
    ("ids", "targets", "loss", "ahead"),
    [
        (TEXT[:, :-1], TEXT[:, 1:], plain, 1),
        (TEXT[:, :-1], TEXT[:, 1:], turned, 1),
        (TEXT, TEXT, shifting, 1),
        (TEXT, TEXT, plain, 0),
        (TEXT[:, :-1], TEXT[:, 1:], shifting, 2),
        (TEXT[:, :-2], TEXT[:, 2:], turned, 2),
    ],
)
def test_places_ahead(ids, targets, loss, ahead):
    (found,) = facts(ids, targets, loss)
    assert found["ahead"] == ahead and found["place"]
    assert (found["picked"] is not None) == (loss is shifting)


def test_other_targets():
    assert facts(TEXT, TEXT[::-1].copy(), plain) is None
    assert facts(np.full_like(TEXT, 3), np.full_like(TEXT, 3), plain) is None


def test_tokens_to_guess_that_are_shown():
    """The loss counts some places, and the input holds their tokens: nothing is hidden; or it counts each, as a copy has it."""
    rng = np.random.default_rng(1)
    targets = np.where(rng.random(TEXT.shape) < 0.5, TEXT, -100).astype(np.int32)
    assert facts(TEXT, targets, plain)[0]["left_out"] == 12
    assert facts(TEXT, TEXT, plain)[0]["left_out"] == 0
    assert facts(np.where(targets < 0, TEXT, 0).astype(np.int32), targets, plain) is None  # hidden
    assert facts(TEXT[:, :-1], TEXT[:, 1:], plain)[0]["left_out"] is None


def test_places_that_do_not_count():
    targets = TEXT[:, 1:].copy()
    targets[::2, 7:] = -100
    assert facts(TEXT[:, :-1], targets, plain)[0]["ahead"] == 1
