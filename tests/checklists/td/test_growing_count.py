"""td.04: sums of gradients divided by a count that is never set back."""

import pytest
from building import Run, run_data

from msprec.checklists.td.update_gradients.growing_count import growing_count

CODE = """class Sums:
    def add(self, grads):
        self.count += 1
    def mean(self):
        return [b / self.count for b in self.sums]
    def reset(self):
        self.sums = [ops.zeros_like(b) for b in self.sums]
"""


@pytest.mark.parametrize(
    ("factors", "parts", "found"),
    [
        ({2: 0.25, 64: 1 / 128}, 2, True),
        ({1: 1.0, 32: 1 / 32}, 1, True),
        ({2: 0.5, 64: 0.5}, 2, False),  # means, as they should be
        ({2: 0.25, 64: 1 / 256}, 2, False),  # a loss scale that grew
        ({2: 0.25, 4: 0.125}, 2, False),  # too near to tell
    ],
)
def test_factors_that_fall_with_the_updates(tmp_path, factors, parts, found):
    rows = [{"update": n, "parts": parts, "factor": one, "left": 0.0, "rest": 0.0} for n, one in factors.items()]
    run = Run(source={"train.py": CODE})
    run.facts["probes"] = {"gradients": {"optimizer": "SGD", "place": None, "of_others": [], "updates": rows}}
    data = run_data(tmp_path / "run", run)
    seen = growing_count(data, list(data.probes.gradients.updates), [])
    assert (seen is not None) == found
    if found:
        assert [one["line"] for one in seen.locations] == [5, 3, 7]
