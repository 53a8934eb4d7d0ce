"""Whether a source speaks of reinforcement learning."""

import pytest
from building import Run, run_data

from msprec.checklists.common.training.reinforcement import learns_by_rewards


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("s, r, done = env.step(a)\n", True),
        ("target = r + GAMMA * nxt * (1 - bd)\n", True),
        ("y = r + self.gamma * q(n).max(1)\n", True),
        ("class TdLoss(nn.Cell):\n    pass\n", True),
        ("y = x * self.gamma + self.beta\n", False),
        ("y = self.beta + self.gamma * x\n", False),  # a normalisation
        ("error = std_error(x)\n", False),
        ("environment = os.environ['HOME']\n", False),
        ("optimizer.step(loss)\n", False),
    ],
)
def test_words(tmp_path, code, said):
    assert learns_by_rewards(run_data(tmp_path, Run(source={"train.py": code}))) is said
