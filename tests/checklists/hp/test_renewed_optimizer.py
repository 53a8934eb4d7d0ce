"""hp.01: an optimizer that is made anew in each epoch."""

import pytest
from building import Run, run_data

from msprec.checklists.hp.learning_rate.renewed_optimizer import renewed_optimizer


def made(updates, values=270, line=9, kind="list", names=("a.weight", "a.bias")):
    rate = {"kind": kind, "value": None, "first": 1e-5, "last": 0.01, "values": values, "class": None, "groups": None}
    return {
        "id": 0,
        "class": "Momentum",
        "place": {"file": "train.py", "line": line},
        "used": True,
        "momentum": 0.9,
        "updates": updates,
        "learning_rate": rate,
        "parameter_names": list(names),
    }


@pytest.mark.parametrize(
    ("optimizers", "networks", "found"),
    [
        ([made(30)] * 9, 1, True),
        ([made(30)] * 2, 1, False),
        ([made(270)] * 9, 1, False),  # each goes through all of it
        ([made(30)] * 9, 9, False),  # folds, each with a network of its own
        ([made(30), made(30, line=12), made(30, line=15)], 1, False),  # stages
        ([made(30, kind="constant", values=None)] * 9, 1, False),
        ([made(30), made(30, names=("b.weight",)), made(30)], 1, False),
        ([made(1, kind="constant", values=None)] * 9, 1, True),  # at each update, with moments that are lost
        ([{**made(1, kind="constant", values=None), "momentum": 0.0}] * 9, 1, False),
        ([{**made(1, kind="constant", values=None), "class": "Adam", "momentum": None}] * 9, 1, True),
        ([{**made(1, kind="constant", values=None), "class": "Adam"}] * 9, 9, False),
    ],
)
def test_optimizers(tmp_path, optimizers, networks, found):
    run = Run()
    run.facts["optimizer"] = {"optimizers": optimizers}
    run.facts["network"] = {
        "networks": [{"id": n, "class": "Net", "role": "train", "cells": []} for n in range(networks)]
    }
    told = renewed_optimizer(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([9] if found else None)
