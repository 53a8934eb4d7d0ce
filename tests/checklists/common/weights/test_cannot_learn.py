"""Weights that cannot learn, after which rate and epochs are for judging (hp.01, hp.02)."""

import pytest
from building import STILL, Run, parameter, run_data

from msprec.checklists.common.weights.cannot_learn import THE_EPOCHS, cannot_learn

_VARIED = {"min": -1.0, "max": 1.0, "mean": 0.0, "std": 0.3, "zeros": 0.0, "constant": False, "nonfinite": 0}
_ALIKE = {**_VARIED, "min": 0.02, "max": 0.02, "mean": 0.02, "std": 0.0, "constant": True}
_LIST = {"holder": "net.blocks", "kind": "list", "class": "Dense", "length": 3, "in_optimizer": False}


@pytest.mark.parametrize(
    ("initials", "in_optimizer", "unregistered", "item"),
    [
        ([_ALIKE, _ALIKE, _VARIED], True, [], "wi.01"),
        ([_ALIKE, _VARIED, _VARIED], True, [], None),
        ([_VARIED, _VARIED], False, [], "cg.02"),
        ([_VARIED, _VARIED], True, [_LIST], "cg.02"),
        ([_VARIED, _VARIED], True, [{**_LIST, "length": 1}], None),  # perhaps another network that is pointed at
    ],
)
def test_what_comes_first(tmp_path, initials, in_optimizer, unregistered, item):
    run = Run()
    weights = [parameter(f"{n}.weight", [8, 8], initial=one) for n, one in enumerate(initials)]
    if not in_optimizer:
        weights[0].update(in_optimizer=False, moved=STILL)
    run.facts["parameters"]["parameters"] = weights
    run.facts["network"]["networks"][0]["unregistered"] = unregistered
    found = cannot_learn(run_data(tmp_path, run), THE_EPOCHS)
    assert (found[1] if found else None) == item


@pytest.mark.parametrize(
    ("code", "item"),
    [
        ("for p in net.body.trainable_params():\n    p.requires_grad = False\n", "cg.02"),
        ("load_checkpoint('a.ckpt')\nfor p in net.body.trainable_params():\n    p.requires_grad = False\n", None),
        ("pass\n", None),
    ],
)
def test_layers_frozen_as_they_were_drawn(tmp_path, code, item):
    run = Run(source={"train.py": code})
    frozen = parameter("body.weight", [8, 8], requires_grad=False, in_optimizer=False, moved=STILL)
    run.facts["parameters"]["parameters"] = [frozen, parameter("head.weight", [8, 2])]
    found = cannot_learn(run_data(tmp_path, run), THE_EPOCHS)
    assert (found[1] if found else None) == item
