"""hp.01: a rate of the script's own that a power of the number of batches takes to nothing."""

import pytest
from building import Run, run_data

from msprec.checklists.hp.learning_rate.decayed_by_hand import decayed_by_hand

_LOOP = """
grads_of = value_and_grad(loss, None, weights)
n = 0
for epoch in range(10):
    for batch in data:
        value, grads = grads_of(batch)
        {rate}
        update(grads, lr)
        {inner}
    {outer}
"""


@pytest.mark.parametrize(
    ("rate", "inner", "outer", "seen", "found"),
    [
        ("lr = base * 0.85 ** n", "n += 1", "pass", False, True),
        ("lr = base * 0.85 ** n", "pass", "n += 1", False, False),
        ("lr = base * 0.85 ** epoch", "n += 1", "pass", False, False),
        ("lr = base * 0.999 ** n", "n += 1", "pass", False, False),  # slow enough for as many steps
        ("lr = base * 0.85 ** n", "n += 1", "pass", True, False),  # the rate was seen: other rules judge it
        ("beta = 0.85 ** n", "n += 1", "pass", False, False),
    ],
)
def test_powers_of_the_number_of_batches(tmp_path, rate, inner, outer, seen, found):
    steps = [{"step": n, "epoch": 1, "loss": 1.0, **({"lr": 0.1} if seen else {})} for n in range(1, 200)]
    run = Run(steps=steps, source={"train.py": _LOOP.format(rate=rate, inner=inner, outer=outer)})
    assert (decayed_by_hand(run_data(tmp_path, run)) is not None) is found
