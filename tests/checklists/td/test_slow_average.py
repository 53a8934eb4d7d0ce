"""td.07: averages of weights in arrays that hardly left where training began."""

import pytest
from building import Run, run_data

from msprec.checklists.td.replicas.slow_average import slow_average

_CODE = """KEEP = {decay}
for x, y in batches:
    step(x, y)
    shadow = [{formula} for s, w in zip(shadow, weights)]
for w, s in zip(weights, shadow):
    {then}
"""
_FORMULA = "KEEP * s + (1 - KEEP) * w.asnumpy()"


@pytest.mark.parametrize(
    ("decay", "formula", "then", "lines"),
    [
        (0.9999, _FORMULA, "w.set_data(Tensor(s))", [1, 4]),
        (0.95, _FORMULA, "w.set_data(Tensor(s))", None),
        (0.9999, _FORMULA, "print(s.mean())", None),
        (0.9999, "s + w.asnumpy()", "w.set_data(Tensor(s))", None),
        (0.9999, "(1 - KEEP) * w + s * KEEP", "ops.assign(w, s)", [1, 4]),
    ],
)
def test_decays(tmp_path, decay, formula, then, lines):
    run = Run(source={"train.py": _CODE.format(decay=decay, formula=formula, then=then)})
    run.steps = [{"step": n, "epoch": 1, "loss": 1.0, "lr": 0.1} for n in range(1, 337)]
    for optimizer in run.facts["optimizer"]["optimizers"]:
        optimizer["updates"] = 336
    found = slow_average(run_data(tmp_path, run))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
