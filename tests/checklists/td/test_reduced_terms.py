"""Lines that reduce a term of a loss (td.08)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.scales.collapse import reduced_at
from msprec.engine.run_data import place

HEAD = "def elbo(x):\n    recon = bce(\n        net(x), x)\n"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("    recon = recon.mean(axis=1)\n    return recon\n", [4]),
        ("    total = ops.sum(recon)\n    return total\n", [4]),
        ("    total = ops.sum(other)\n    return total\n", []),
        ("    recon = 2 * recon\n    return recon\n", []),
    ],
)
def test_lines(tmp_path, body, lines):
    data = run_data(tmp_path, Run(source={"train.py": HEAD + body}))
    assert [one.line for one in reduced_at(data, place("train.py", 2))] == lines
