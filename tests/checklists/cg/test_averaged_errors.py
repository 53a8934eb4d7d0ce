"""cg.04 where errors cancel before they are squared."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function.averaged_errors import check_averaged_errors

CODE = "def squared_error(w, f):\n    gap = {gap}\n    return {value}\n"


@pytest.mark.parametrize(
    ("gap", "value", "found"),
    [
        ("net(w) - f", "ops.square(gap.mean(axis=1)).mean()", True),
        ("net(w) - f", "ops.mean(ops.mean(gap, -1) ** 2)", True),
        ("f - net(w)", "gap.mean(1).abs().mean()", True),
        ("net(w) - f", "ops.square(gap).mean(axis=1).mean()", False),
        ("net(w) - f", "ops.square(gap.mean(axis=0)).mean()", False),  # of each output over the samples
        ("net(w).mean(1) - f.mean(1)", "ops.square(gap.mean(-1)).mean()", False),  # sums are what is asked for
        ("net(w) - f", "ops.square(gap).mean() + ops.square(gap.mean(axis=1)).mean()", False),  # one term of two
        ("net(w) * f", "ops.square(gap.mean(axis=1)).mean()", False),
    ],
)
def test_what_is_squared(tmp_path, gap, value, found):
    told = check_averaged_errors(run_data(tmp_path, Run(source={"train.py": CODE.format(gap=gap, value=value)})))
    assert ([one.line for one in told.places] if told else None) == ([3] if found else None)
