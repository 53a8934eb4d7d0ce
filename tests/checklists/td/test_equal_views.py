"""td.06: where two equal views are drawn by generators of one seed."""

import pytest
from building import Run, run_data

from msprec.checklists.td.random_draws.equal_views import equal_views

_HOLDER = """class Noise:
    def __init__(self, seed):
        self.draws = np.random.RandomState({})


def main():
    one, other = Noise({}), Noise({})
"""


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_HOLDER.format("seed", "2 * S", "2 * S"), [7]),
        (_HOLDER.format("seed", "S", "S + 1"), [3]),
        (_HOLDER.format("3", "S", "S"), [3]),  # each makes its generator of the same number
        ("def main():\n    one = default_rng(3)\n    other = default_rng(3)\n", [2, 3]),
    ],
)
def test_generators_of_one_seed(tmp_path, code, lines):
    run = Run(source={"train.py": code})
    run.facts["network"]["networks"] = []
    run.facts["probes"] = {"equal_inputs": {"inputs": [0, 1], "batches": 9}, "skipped": {}}
    found = equal_views(run_data(tmp_path, run))
    assert [one["line"] for one in found.locations if one["file"] == "train.py"] == lines
