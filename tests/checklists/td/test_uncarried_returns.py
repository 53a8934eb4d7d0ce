"""Sums of rewards that leave out what was summed up so far (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.uncarried_returns import uncarried_returns

BY_NUMBER = """def discounted(rewards, gamma):
    out = np.zeros_like(rewards)
    acc = 0.0
    for t in {steps}:
        acc = {value}
        out[t] = acc
    return out
"""
BACK = "reversed(range(len(rewards)))"
BY_ELEMENT = """found, total = [], 0.0
for r in episode[::-1]:
    total = r
    found.append(total)
"""
BUFFER = """last = values[-1]
for t in reversed(range(n)):
    delta = rewards[t] + gamma * last - values[t]
    trace = delta + gamma * 0.95 * trace
    last = values[t]
    out[t] = trace
"""
TWO = """best, lag = 0.0, 0.0
for t in reversed(range(n)):
    best = rewards[t]
    lag = best + gamma * lag
    out[t] = best
"""
USED = BY_NUMBER.replace("    for", "    out[-1] = acc\n    for")


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (BY_NUMBER.format(steps=BACK, value="rewards[t]"), 5),
        (BY_NUMBER.format(steps="range(len(rewards) - 1, -1, -1)", value="rewards[t]"), 5),
        (BY_ELEMENT, 3),
        (BY_NUMBER.format(steps=BACK, value="rewards[t] + gamma * acc"), None),
        (BY_NUMBER.format(steps=BACK, value="np.maximum(rewards[t], limit)"), None),
        (BY_NUMBER.format(steps="range(len(rewards))", value="rewards[t]"), None),
        (BY_NUMBER.format(steps=BACK, value="rewards[t]").replace("    acc = 0.0\n", ""), None),
        (USED.format(steps=BACK, value="rewards[t]"), None),
        (BY_ELEMENT.replace("    found.append(total)", "    print(r)"), None),
        (BUFFER, None),
        (TWO, None),
    ],
)
def test_what_follows_is_left_out(tmp_path, code, line):
    told = uncarried_returns(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told.locations[0]["line"] if told else None) == line
