"""Where a program sums over ranks, read from its source."""

import pytest
from building import Run, run_data

from msprec.checklists.common.ranks.rank_reduction import reducing_lines, undivided_sums

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


SUM = "add = ops.AllReduce()\ngrads = [add(one){} for one in grads]\n"


@pytest.mark.parametrize(
    ("source", "undivided"),
    [
        (SUM.format(""), True),
        (SUM.format(" / world"), False),
        (SUM.format(" / get_group_size()"), False),
        (SUM.format(" / 2"), False),
        (SUM.format("") + "loss = loss * (1.0 / self.num_ranks)\n", False),
        (SUM.format("") + "optimizer = nn.SGD(weights, 0.1 / rank_size)\n", False),
        ("mean = ops.AllReduce(ReduceOp.AVG)\ngrads = [mean(one) for one in grads]\n", False),
        (SUM.format("") + "reducer = nn.DistributedGradReducer(weights)\n", False),  # which knows whether it averages
        ("x = y\n", False),
        (SUM.format("") + "steps = len(data) // world\n", True),  # no gradient
    ],
)
def test_sums_that_nothing_divides(tmp_path, source, undivided):
    assert undivided_sums(run_data(tmp_path, Run(source={"train.py": source}))) == undivided
