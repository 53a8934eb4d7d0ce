"""Actions that were taken and are never read where the policy is trained (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.unread_actions import unread_actions

STEP = "update = ms.value_and_grad(surrogate, None, opt.parameters)\n"
LOOP = """for it in range(9):
    obs, action, reward = play(32)
    chosen_action = choose(policy(Tensor(obs)).asnumpy())
    loss, grads = update(Tensor(obs), Tensor(chosen_action), Tensor(reward))
"""


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (STEP + LOOP, 4),
        (
            STEP
            + LOOP.replace("obs, action, reward =", "(obs, acts, rewards), won =").replace("Tensor(reward)", "rewards"),
            4,
        ),
        (STEP + LOOP.replace("Tensor(chosen_action)", "Tensor(action)"), None),
        (STEP + LOOP.replace("choose(policy(Tensor(obs)).asnumpy())", "action.reshape(-1)"), None),
        (STEP + LOOP.replace("    chosen_action", "    q"), None),  # no other action is bound
        (STEP + LOOP.replace("Tensor(reward)", "0"), None),  # no rewards of theirs
        (LOOP, None),  # no gradient
    ],
)
def test_actions(tmp_path, code, line):
    told = unread_actions(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told.locations[0]["line"] if told else None) == line
