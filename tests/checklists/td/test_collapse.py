"""td.08: a reconstruction that is the same for all samples, beside a divergence."""

import pytest
from building import Run, dataset, run_data

from msprec.checklists.td.scales.collapse import collapsed_reconstruction

LOSS = "parts = relu(z) - z * x\nrec = parts.mean()\n\nkl = divergence(mu)\nloss = rec + kl\n"


def units(spread, first=0.8):
    def moment(name, ends):
        layers = [
            {
                "kind": "layer",
                "operator": "Dense",
                "cell": f"fc{n}",
                "hidden": n == 1,
                "units": 8,
                "alike": 0,
                "spread": one,
            }
            for n, one in enumerate(ends, 1)
        ]
        return {"moment": name, "step": 1, "batches": 1, "samples": 64, "entries": layers}

    return {"moments": [moment("start", (first, 0.7)), moment("end", (first, spread))], "start_step": 1}


CUT = """class Vae(nn.Cell):
    def sample(self, m):
        return ops.stop_gradient(m + ops.randn_like(m))

kl = divergence(mu)
"""


@pytest.mark.parametrize(("ran", "lines"), [("Vae", [3]), ("Other", [5])])
def test_codes_that_are_cut_off(tmp_path, ran, lines):
    run = Run(source={"train.py": CUT}, datasets=[dataset()])
    run.facts["probes"] = {"reconstruction": {"input": 0, "samples": 64, "of_inputs": 0.001}, "skipped": {}}
    cells = [{"path": "", "class": ran, "builtin": False, "parameters": []}]
    run.set("network", [{"id": 0, "class": ran, "role": "train", "cells": cells}])
    found = collapsed_reconstruction(run_data(tmp_path, run))
    assert [one["line"] for one in found.locations] == lines


@pytest.mark.parametrize(
    ("code", "probes", "lines"),
    [
        (LOSS, {"units": units(0.03)}, [1, 4, 2]),
        (LOSS, {"units": units(0.5)}, None),
        (LOSS.replace("kl =", "other ="), {"units": units(0.03)}, None),  # no divergence
        (LOSS, {"reconstruction": {"input": 0, "samples": 64, "of_inputs": 0.001}}, [4]),
        (LOSS, {"reconstruction": {"input": 0, "samples": 64, "of_inputs": 0.6}, "units": units(0.03)}, None),
    ],
)
def test_outputs_that_come_together_beside_a_divergence(tmp_path, code, probes, lines):
    run = Run(source={"train.py": code}, datasets=[dataset()])
    terms = [{"place": {"file": "train.py", "line": 1}}]
    written = {"why": "outputs", "place": {"file": "train.py", "line": 5}}
    run.facts["probes"] = {"terms": terms, "written_loss": written, "skipped": {}, **probes}
    found = collapsed_reconstruction(run_data(tmp_path, run))
    assert (found and [one["line"] for one in found.locations]) == lines
