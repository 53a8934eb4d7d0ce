"""td.08: weights that are used again and again, and drawn so wide that values grow on the way."""

import pytest
from building import Run, parameter, run_data

from msprec.checklists.td.scales.large_outputs import _wide_again


@pytest.mark.parametrize(
    ("std", "uses", "told"),
    [
        (0.6, 25, True),
        (0.6, 2, False),  # that much growth has another cause
        (0.25, 25, False),  # He's
        (3.0, 1, False),  # used once: told with the others that were drawn wide
    ],
)
def test_a_recurrent_matrix_that_was_drawn_wide(tmp_path, std, uses, told):
    w_hh = parameter("w_hh", [32, 32])
    w_hh["initial"] = {**w_hh["initial"], "std": std}
    layer = {"kind": "layer", "operator": "matmul", "units": 32, "alike": 0, "hidden": True, "input_alike": False}
    moment = {
        "moment": "start",
        "step": 1,
        "batches": 2,
        "samples": 64,
        "entries": [{**layer, "weight": "w_hh"}] * uses,
    }
    run = Run(parameters=[parameter("out.weight", [10, 32]), w_hh])
    run.facts["probes"] = {"units": {"moments": [moment]}}
    found = _wide_again(run_data(tmp_path, run))
    assert [one.name for one, _ in found] == (["w_hh"] if told else [])
