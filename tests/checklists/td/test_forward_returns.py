"""Discounted sums of rewards that run forwards (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.forward_returns import forward_returns

BY_NUMBER = """def discounted(rewards, gamma):
    out, acc = np.zeros_like(rewards), 0.0
    for t in {steps}:
        acc = rewards[t] + gamma * acc
        out[t] = acc
    return out
"""
BY_ELEMENT = """def returns_of(episode, cfg):
    found, total = [], 0.0
    {before}
    for r in {over}:
        total = {total}
        {kept}
    return found
"""
KEPT = "found.append(total)"
SUM = "cfg.gamma * total * 0.95 + r"
WALK = """for t in range(200):
    state, r = world.step(policy(state))
    running = r + gamma * running
    seen.append(running)
"""
TRACE = """for t, grad in enumerate(gradients):
    trace = grad + gamma * decay * trace
    weights -= rate * trace
"""


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (BY_NUMBER.format(steps="range(len(rewards))"), 3),
        (BY_NUMBER.format(steps="reversed(range(len(rewards)))"), None),
        (BY_NUMBER.format(steps="range(len(rewards) - 1, -1, -1)"), None),
        (BY_ELEMENT.format(before="", over="episode", total=SUM, kept=KEPT), 4),
        (BY_ELEMENT.format(before="", over="episode[::-1]", total=SUM, kept=KEPT), None),
        (BY_ELEMENT.format(before="episode = episode[::-1]", over="episode", total=SUM, kept=KEPT), None),
        (BY_ELEMENT.format(before="", over="episode", total="0.9 * total + r", kept=KEPT), None),  # an average
        (BY_ELEMENT.format(before="", over="episode", total="cfg.gamma * last + r", kept=KEPT), None),
        (BY_ELEMENT.format(before="", over="episode", total=SUM, kept="pass"), None),  # one sum of an episode
        (WALK, None),  # the scale of what rewards come to, while the game is played
        (TRACE, None),  # eligibility traces
    ],
)
def test_sums_of_rewards(tmp_path, code, line):
    told = forward_returns(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told.locations[0]["line"] if told else None) == line
