"""At which place stands the token that a target follows from."""

from types import SimpleNamespace

import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.network.token_targets import token_targets

RNG = np.random.default_rng(0)
WORDS, LENGTH, SAMPLES = 20, 12, 96
LENGTHS = RNG.integers(4, LENGTH - 1, SAMPLES)


def batches(begins, gap=0):
    """Words between marks 1 and 2, padded with 0; the target of a word is its number modulo 3, the first one at ``begins``."""
    ids, targets = np.zeros((SAMPLES, LENGTH), np.int32), np.full((SAMPLES, LENGTH), -100, np.int32)
    for row, length in enumerate(LENGTHS):
        words = RNG.integers(3, WORDS, length)
        ids[row, : length + 2] = [1, *words, 2]
        targets[row, begins : begins + length + gap] = [*(words % 3), *[0] * gap]
    return [(a, b) for a, b in zip(np.split(ids, 3), np.split(targets, 3))]


def facts(of):
    return token_targets(SimpleNamespace(batches=[tuple(map(Tensor, one)) for one in of]))


@pytest.mark.parametrize("begins, gap, marks", [(0, 0, True), (1, 0, False), (0, 1, False)])
def test_targets_beside_their_tokens(begins, gap, marks):
    found = facts(batches(begins, gap))
    assert found["marks"] is marks
    if begins:
        assert found["own"] == 1.0
        assert found["shifted"] < 0.6
    else:
        assert found["shift"] == 1
        assert found["shifted"] > 0.85 > 0.6 > found["own"]


def test_the_next_token_is_told_from_its_class():
    ids = RNG.integers(1, WORDS, (SAMPLES, LENGTH))
    assert facts([(ids[:, :-1], ids[:, 1:])])["same"] == 1.0


def test_masks_do_not_count():
    ids, targets = batches(0)[0]
    several = [(a, (a != 0).astype(np.int32), b) for a, b in batches(0)]
    assert facts(several)["shift"] == 1
    assert facts([(ids, targets, targets)]) is None
    assert facts([(ids.astype(np.float32), targets)]) is None
