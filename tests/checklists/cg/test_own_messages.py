"""Messages that go back to their own nodes (cg.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.own_messages import judge_own_messages


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    msg = ops.gather(h, src, 0)\n    return ops.unsorted_segment_sum(msg, src, n)", 3),
        ("    msg = h[src]\n    return out.index_add(0, src, msg)", 3),
        ("    msg = ops.gather(h, src, 0)\n    return ops.unsorted_segment_sum(msg, dst, n)", None),
        ("    msg = ops.gather(h, src, 0) * weight\n    return ops.unsorted_segment_sum(msg, src, n)", None),
        (
            "    top = ops.gather(best, seg, 0)\n    e = ops.exp(x - top)\n    return ops.unsorted_segment_sum(e, seg, n)",
            None,
        ),
    ],
)
def test_ends_of_edges(tmp_path, body, line):
    made = Run(source={"train.py": f"def construct(self, h, src, dst):\n{body}\n"})
    told = judge_own_messages(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == ([line] if line else None)
