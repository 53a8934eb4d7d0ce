"""Where a program sums over ranks, read from its source."""

import pytest
from building import Run, run_data

from msprec.checklists.common.rank_reduction import reducing_lines

BY_FUNCTION = """from mindspore import ops
total = ops.AllReduce()
EVERY = 40
def average(values):
    return [total(one) / 2 for one in values]
for step in range(100):
    if step % EVERY == 0:
        weights = average(weights)
"""
IN_A_CELL = """class Step(nn.Cell):
    def __init__(self):
        self.reducer = nn.DistributedGradReducer(params)
    def construct(self, x):
        grads = self.grad(x)
        return self.reducer(grads)
"""


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (BY_FUNCTION, [2, 3, 5, 8]),
        (IN_A_CELL, [3, 6]),
        ("from mindspore.mint import distributed\ndistributed.all_reduce(gradient)\n", [2]),
        ("def average(values):\n    return values.mean()\nx = average(y)\n", []),
    ],
)
def test_calls_that_reduce_and_what_they_hang_on(tmp_path, source, lines):
    found = reducing_lines(run_data(tmp_path, Run(source={"train.py": source})))
    assert [one.line for one in found] == lines
