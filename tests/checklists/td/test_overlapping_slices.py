"""td.05: batches that begin at the number of the batch."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.overlapping_slices import overlapping_slices


@pytest.mark.parametrize(
    ("over", "rows", "found"),
    [
        ("rng.permutation(steps).tolist()", "i:i + batch", True),
        ("range(len(x) // batch)", "i:i + batch", True),
        ("range(steps)", "i * batch:(i + 1) * batch", False),
        ("range(0, len(x), batch)", "i:i + batch", False),
        ("range(0, steps * batch, batch)", "i:i + batch", False),
        ("range(len(x) - batch)", "i:i + batch", False),  # windows of a series
        ("range(len(x) // window)", "i:i + batch", False),
    ],
)
def test_loops(tmp_path, over, rows, found):
    code = f"steps = len(x) // batch\nfor i in {over}:\n    train(x[{rows}], y[{rows}])\n"
    told = overlapping_slices(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in told.locations] if told else None) == ([3] if found else None)
