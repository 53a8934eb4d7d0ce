"""cg.03: a network that does not keep in inference mode what it learnt with dropout."""

import pytest
from building import Run, dataset, run_data

from msprec.checklists.cg.connectivity.strong_dropout import judge_strong_dropout


def trained(end, whole, cells):
    facts = [
        {
            "path": str(number),
            "class": kind,
            "args": args,
            "builtin": True,
            "mode_dependent": kind != "Dense",
            "created": {"file": "train.py", "line": 10 + number},
        }
        for number, (kind, args) in enumerate(cells)
    ]
    losses = [
        {"step": n, "loss": 2.3 * (end / 2.3) ** min(1.0, n / 150), "lr": 0.01, "batch": 32} for n in range(1, 226)
    ]
    run = Run(datasets=[dataset()], steps=losses, network=[{"class": "Net", "cells": facts, "place": None}])
    run.facts["probes"] = {"inference_loss": {"batches": 8, "loss": whole}}
    return run.set("run", {"training_steps": 225})


DROPS = [("Dense", ""), ("Dropout", "p=0.7"), ("Dense", ""), ("Dropout", "p=0.1")]


@pytest.mark.parametrize(
    ("end", "whole", "cells", "lines"),
    [
        (0.4, 1.9, DROPS, [11]),
        (0.4, 0.1, DROPS, None),  # as usual: without the noise it does better
        (0.4, 0.8, DROPS, None),
        (0.4, 51.2, DROPS, None),  # scaled
        (2.31, 2.4, DROPS, None),  # nothing was learnt that could be lost
        (0.4, 1.9, [("Dense", ""), ("Dropout", "p=0.3")], None),
        (0.4, 1.9, [*DROPS, ("BatchNorm1d", "momentum=0.9")], None),  # its statistics may be what differs
        (0.4, 1.9, [("Dense", "")], None),
    ],
)
def test_what_inference_mode_keeps(tmp_path, end, whole, cells, lines):
    found = judge_strong_dropout(run_data(tmp_path, trained(end, whole, cells)))
    assert (found and [one["line"] for one in found.locations]) == lines


def test_no_probe(tmp_path):
    run = trained(0.4, 1.9, DROPS)
    run.facts["probes"] = {}
    assert judge_strong_dropout(run_data(tmp_path, run)) is None
