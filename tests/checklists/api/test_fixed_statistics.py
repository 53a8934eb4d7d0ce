"""api.02 on a BatchNorm whose statistics are those that it began with."""

import pytest
from building import Run, parameter, phase, run_data

from msprec.checklists.api.train_eval_mode.fixed_statistics import fixed_statistics


def statistic(name, value):
    told = {"min": value, "max": value, "mean": value, "std": 0.0, "zeros": float(value == 0), "constant": True}
    return {
        **parameter(f"bn.{name}", [5], kind="statistic", requires_grad=False, in_optimizer=False),
        "final": told,
        "cell": "bn",
    }


@pytest.mark.parametrize(
    ("switch", "mean", "variance", "gradient", "found"),
    [
        (False, 0.0, 1.0, True, True),
        (None, 0.0, 1.0, True, False),
        (False, 0.3, 1.0, True, False),  # loaded
        (False, 0.0, 1.0, False, False),  # never trained
    ],
)
def test_statistics(tmp_path, switch, mean, variance, gradient, found):
    one = phase(dependent=(("bn", True),), gradient=gradient)
    one["dependent"][0]["use_batch_statistics"] = switch
    run = Run(modes=[one])
    run.facts["parameters"]["parameters"] += [statistic("moving_mean", mean), statistic("moving_variance", variance)]
    assert (fixed_statistics(run_data(tmp_path, run)) is not None) is found
