"""Columns of numbers that are names of levels."""

import numpy as np
import pytest
from mindspore import Tensor

from msprec.probe.data.category_numbers import category_numbers
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.numpy_losses import MSE, SOFTMAX

RNG = np.random.default_rng(3)
LEVEL = RNG.integers(0, 24, 960)
AREA, HEIGHT = RNG.normal(0, 1, 960), RNG.normal(0, 1, 960)
OF_LEVEL = RNG.normal(0, 1.0, 24)


def found(target, column=None, kind=MSE, different=960):
    column = LEVEL / 24 if column is None else column
    samples = np.stack([AREA, HEIGHT, column], 1).astype(np.float32)
    aimed = target.astype(np.int32) if kind == SOFTMAX else target.astype(np.float32)[:, None]
    material = Material()
    for begin in [one % different for one in range(0, 960, 60)]:
        batch = (Tensor(samples[begin : begin + 60]), Tensor(aimed[begin : begin + 60]))
        material.batches.append(batch)
    return category_numbers(material, [{"kind": kind, "targets": {"input": 1}}])


def gap(told):
    return told["by_level"] - told["by_number"] if told is not None else 0.0


def test_a_district():
    told = found(AREA + OF_LEVEL[LEVEL])
    assert (told["column"], told["columns"], told["levels"]) == (2, 3, 24) and gap(told) > 0.3


def test_classes():
    assert gap(found((AREA + 2 * OF_LEVEL[LEVEL] > 0).astype(int), kind=SOFTMAX)) > 0.15


@pytest.mark.parametrize(
    "target",
    [
        AREA + 0.1 * LEVEL,
        AREA + np.sin(LEVEL / 24 * 2 * np.pi),
        AREA + 2.0 * (LEVEL > 12),
        AREA + RNG.normal(0, 1, 960),
    ],
    ids=["line", "hour", "step", "nothing"],
)
def test_numbers(target):
    assert gap(found(target)) < 0.15


@pytest.mark.parametrize("column", [HEIGHT, LEVEL % 4, LEVEL**3], ids=["real", "few", "uneven"])
def test_columns_without_levels(column):
    assert found(AREA + OF_LEVEL[LEVEL], column) is None


@pytest.mark.parametrize(("different", "known"), [(480, True), (120, False)])
def test_passes_over_few_samples_tell_no_more(different, known):
    assert (found(AREA + OF_LEVEL[LEVEL], different=different) is not None) is known
