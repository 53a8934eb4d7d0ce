"""A moving average that is written into the network that trains (td.07)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.replicas.live_average import live_average

CODE = """def restore(net, values):
    for p in net.get_parameters():
        ops.assign(p, Tensor(values[p.name]))


grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for epoch in range(9):
    for x, y in data:
        loss, grads = grad_fn(x, y)
        opt(grads)
        for p in net.get_parameters():
            average[p.name] = 0.99 * average[p.name] + 0.01 * p.asnumpy()
        {inside}
    {after}
"""
WRITES = "restore(net, average)"


@pytest.mark.parametrize(
    ("inside", "after", "lines"),
    [
        (WRITES, "pass", [13, 12]),
        ("pass", WRITES, None),  # once an epoch, for an evaluation
        (f"{WRITES}; score(net); restore(net, live)", "pass", None),  # and given back
        ("restore(net, live)", "pass", None),
        ("print(average)", "pass", None),
    ],
)
def test_averages(tmp_path, inside, after, lines):
    told = live_average(run_data(tmp_path, Run(source={"train.py": CODE.format(inside=inside, after=after)})))
    assert ([one["line"] for one in told.locations] if told else None) == lines
