"""What is for judging after inputs that are 0 when they reach the first layer (td.05)."""

import pytest
from building import STILL, Run, column, dataset, parameter


def trained(low, overflows=()):
    """A first layer whose weight does not move, and inputs far from a unit scale."""
    weights = [parameter("0.weight", [64, 8], moved=STILL), parameter("2.weight", [3, 64])]
    made = Run(datasets=[dataset([column("s", shape=[8], min=1.0, max=2e4, mean=1800.0, std=2300.0)])])
    made.set("parameters", weights)
    layer = {"operator": "Dense", "place": None, "min": low, "max": -low, "mean": 0.0, "std": abs(low)}
    moment = {"moment": "end", "entries": [], "overflows": list(overflows)}
    made.facts["probes"] = {
        "skipped": {},
        "first_layers": [{"layers": [layer]}],
        "lost_inputs": [{"operator": "truediv", "place": {"file": "train.py", "line": 4}, "cell": "", "left": 1}],
        "units": {"moments": [moment]},
    }
    return made


OVERFLOW = {"operator": "mul", "place": {"file": "train.py", "line": 3}, "share": 0.8}


@pytest.mark.parametrize(("low", "conclusion"), [(0.0, "undecided"), (-1.0, "problem")])
def test_a_first_layer_that_cannot_learn(verdict, low, conclusion):
    assert verdict("cg.02", trained(low))["conclusion"] == conclusion


@pytest.mark.parametrize(("overflows", "conclusion"), [([OVERFLOW], "undecided"), ([], "problem")])
def test_the_scale_of_inputs_whose_own_normalisation_overflows(verdict, overflows, conclusion):
    assert verdict("dp.01", trained(0.0, overflows))["conclusion"] == conclusion
