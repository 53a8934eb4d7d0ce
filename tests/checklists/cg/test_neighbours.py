"""cg.03: attention over a graph whose scores are multiplied by the links."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.neighbours import judge_neighbours


@pytest.mark.parametrize(
    ("line", "share", "told"),
    [
        ("s = s * adj", 0.032, True),
        ("s = ops.mul(s, links)", 0.032, True),
        ("s = s * adj", 0.6, False),  # the weight lies on neighbours all the same
        ("s = ops.matmul(q, k) * scale", 0.032, False),  # nothing is hidden, and nothing was to be
        ("s = ops.masked_fill(s, adj == 0, -1e9)", 0.032, False),
    ],
)
def test_scores_times_links(tmp_path, line, share, told):
    place = {"file": "train.py", "line": 1}
    entry = {"operator": "softmax", "place": place, "given_by": place, "share": share, "even": 0.03}
    run = Run(source={"train.py": f"{line}\n"})
    run.facts["probes"] = {"attended_neighbours": [entry], "skipped": {}}
    found = judge_neighbours(run_data(tmp_path, run))
    assert (found is not None) == told
    assert found is None or [one["line"] for one in found.locations] == [1]
