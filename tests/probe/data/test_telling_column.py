"""The column of the inputs by which the targets are told best."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.data.telling_column import telling_column
from msprec.probe.steps.captured_steps import Material

RNG = np.random.default_rng(5)
LOSSES = [{"targets": {"input": 1}}]


def material(columns, targets, rows=64) -> Material:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found = Material()
    for start in range(0, len(columns), rows):
        batch = (Tensor(columns[start : start + rows].astype(np.float32)), Tensor(targets[start : start + rows]))
        found.offer("functional", batch, lambda *_: None, [], [])
    return found


CLASSES = RNG.integers(0, 2, 256).astype(np.int32)
NOISE = RNG.normal(size=(256, 3))


def test_two_classes() -> None:
    columns = np.column_stack([NOISE, CLASSES * 3.0 + RNG.uniform(size=256)])
    found = telling_column(material(columns, CLASSES), LOSSES)
    assert (found["input"], found["column"], found["strength"], found["samples"]) == (0, 3, 1.0, 256)


def test_equal_numbers_share_their_ranks() -> None:
    columns = np.column_stack([np.where(CLASSES == 1, 1.0, RNG.integers(0, 2, 256)), np.zeros(256)])
    ones = columns[CLASSES == 0, 0].mean()
    found = telling_column(material(columns, CLASSES), LOSSES)
    assert found["strength"] == pytest.approx(1 - ones)  # the area is (1 - ones) + ones / 2


def test_numbers() -> None:
    aimed = (2 - 5 * NOISE[:, 1:2] + 0.1 * RNG.normal(size=(256, 1))).astype(np.float32)
    found = telling_column(material(NOISE, aimed), LOSSES)
    assert found["column"] == 1
    assert found["strength"] > 0.99


@pytest.mark.parametrize(
    ("targets", "losses"),
    [
        (RNG.integers(0, 5, 256).astype(np.int32), LOSSES),  # five classes
        (np.eye(2, dtype=np.float32)[CLASSES], LOSSES),  # two numbers a sample
        (CLASSES, [{"targets": {"input": None}}]),
        (CLASSES, LOSSES * 2 + [{"targets": {"input": 0}}]),
    ],
)
def test_what_is_left_out(targets, losses) -> None:
    assert telling_column(material(NOISE, targets), losses) is None


def test_few_samples() -> None:
    assert telling_column(material(NOISE[:100], CLASSES[:100]), LOSSES) is None
