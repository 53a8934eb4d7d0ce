"""Which places of padded sequences a loss counts."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.loss.loss_places import loss_places
from msprec.probe.steps.captured_steps import Material

RNG = np.random.default_rng(0)
LENGTHS = np.array([2, 5, 4, 6], np.int32)
PADDED = np.arange(6)[None] >= LENGTHS[:, None]
TOKENS = np.where(PADDED, 0, RNG.integers(1, 9, (4, 6))).astype(np.int32)
TAGS = np.where(PADDED, 0, RNG.integers(0, 3, (4, 6))).astype(np.int32)


def counted(weigh, *inputs):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    embedding, head = nn.Embedding(10, 4), nn.Dense(4, 3)
    net = nn.SequentialCell(embedding, head)

    def forward(tokens, tags, *rest):
        each = ops.cross_entropy(net(tokens).reshape(-1, 3), tags.reshape(-1), reduction="none")
        return weigh(each, tokens, *rest)

    material = Material()
    build = lambda batch, _=None: of_forward(forward, batch, net.trainable_params(), [net])  # noqa: E731
    material.offer("functional", tuple(map(Tensor, inputs)), build, [net], [nn.SGD(net.trainable_params(), 0.1)])
    return loss_places(material)


@pytest.mark.parametrize(("inverted", "padded", "real"), [(True, 7, 0), (False, 0, 17)])
def test_mask_of_lengths(inverted, padded, real):
    def weigh(each, tokens, lengths):
        behind = ops.arange(0, 6).expand_dims(0) >= lengths.expand_dims(1)
        mask = behind if inverted else ops.logical_not(behind)
        return (each * mask.astype(each.dtype).reshape(-1)).sum()

    found = counted(weigh, TOKENS, TAGS, LENGTHS)
    assert (found["padded"], found["padded_counted"], found["real_counted"]) == (7, padded, real)


@pytest.mark.parametrize("by_name", [True, False])
def test_a_label_that_a_function_is_told_to_ignore(by_name):
    """It is no class of the network's, and no other is meant where the padding does not count."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.SequentialCell(nn.Embedding(10, 4), nn.Dense(4, 3))
    tags = np.where(PADDED, -1, TAGS).astype(np.int32)

    def forward(tokens, tags):
        scores, classes = net(tokens).reshape(-1, 3), tags.reshape(-1)
        return (
            ops.cross_entropy(scores, classes, ignore_index=-1)
            if by_name
            else ops.cross_entropy(scores, classes, None, -1)
        )

    material = Material()
    build = lambda batch, _=None: of_forward(forward, batch, net.trainable_params(), [net])  # noqa: E731
    material.offer("functional", (Tensor(TOKENS), Tensor(tags)), build, [net], [nn.SGD(net.trainable_params(), 0.1)])
    found = loss_places(material)
    assert (found["padded_counted"], found["real_counted"]) == (0, 17)


def test_all_places():
    found = counted(lambda each, tokens: each.mean(), TOKENS, TAGS)
    assert (found["padded_counted"], found["real_counted"]) == (found["padded"], found["places"] - found["padded"])


def test_sequences_of_one_length():
    assert counted(lambda each, tokens: each.mean(), 1 + TOKENS[:, :2].repeat(3, 1), TAGS) is None


def test_places_of_one_class_alone_are_left_out():
    by_class = counted(
        lambda each, tokens, tags: (each * (tags != 0).reshape(-1).astype(each.dtype)).sum(), TOKENS, TAGS, TAGS
    )
    assert (by_class["padded_counted"], by_class["left_out"]) == (0, 0)
    by_token = counted(lambda each, tokens: (each * (tokens != 0).reshape(-1).astype(each.dtype)).sum(), TOKENS, TAGS)
    assert (by_token["real_counted"], by_token["left_out"]) == (17, None)
