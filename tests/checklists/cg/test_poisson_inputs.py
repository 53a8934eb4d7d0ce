"""cg.04: rates that a Poisson loss takes for their logarithms."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function.poisson_inputs import rates_taken_for_logs

_NET = "class Net(nn.Cell):\n    def construct(self, x):\n        return {}\n"


@pytest.mark.parametrize(
    ("class_", "returned", "cells", "args", "line"),
    [
        ("Net", "ops.softplus(self.c(x)) + 1e-4", ["Dense"], "log_input=True", 3),
        ("Net", "self.c(x)", ["Dense"], "log_input=True", None),
        ("Net", "ops.exp(self.c(x))", ["Dense"], "log_input=False", None),
        ("SequentialCell", "x", ["Dense", "Softplus"], "average=True, log_input=True", 8),
        ("SequentialCell", "x", ["Softplus", "Dense"], "log_input=True", None),
    ],
)
def test_ends(tmp_path, class_, returned, cells, args, line):
    run = Run(source={"train.py": _NET.format(returned)})
    made = {"builtin": True, "args": "", "parameters": [], "created": {"file": "train.py", "line": 8}}
    network = run.facts["network"]["networks"][0]
    network["class"], network["cells"] = class_, [{"path": str(n), "class": one, **made} for n, one in enumerate(cells)]
    where = {"file": "train.py", "line": 9}
    run.facts["loss"]["losses"] = [{"class": "PoissonNLLLoss", "builtin": True, "args": args, "place": where}]
    found = rates_taken_for_logs(run_data(tmp_path, run))
    assert [one.places[0].line for one in found] == ([line] if line is not None else [])
