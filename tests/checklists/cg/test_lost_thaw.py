"""cg.02: weights that were to be set free by a loop over ``trainable_params()``."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.frozen_weights.lost_thaw import thaws_nothing

_CODE = """
def freeze(cell, frozen):
    for p in cell.{listed}():
        p.requires_grad = {value}


freeze(net.body, {first})
freeze(net.body, {second})
"""


@pytest.mark.parametrize(
    ("listed", "value", "first", "second", "lines"),
    [
        ("trainable_params", "not frozen", "True", "frozen=False", [3, 8]),
        ("trainable_params", "True", "True", "False", [3, 4]),
        ("get_parameters", "not frozen", "True", "False", None),
        ("trainable_params", "not frozen", "True", "True", None),  # never set free
        ("trainable_params", "False", "True", "False", None),
    ],
)
def test_what_is_to_be_set_free(tmp_path, listed, value, first, second, lines):
    run = Run(source={"train.py": _CODE.format(listed=listed, value=value, first=first, second=second)})
    for one in run.facts["parameters"]["parameters"][:1]:
        one.update(requires_grad=False, in_optimizer=False)
    found = thaws_nothing(run_data(tmp_path, run))
    assert ([one["line"] for one in found.locations] if found else None) == lines


def test_nothing_is_frozen(tmp_path):
    code = _CODE.format(listed="trainable_params", value="not frozen", first="True", second="False")
    assert thaws_nothing(run_data(tmp_path, Run(source={"train.py": code}))) is None
