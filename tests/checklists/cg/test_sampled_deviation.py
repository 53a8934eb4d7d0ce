"""Noise scaled by a variance (cg.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.sampled_deviation import judge_sampled_deviation


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    std = mint.exp(logvar)\n    eps = ops.randn_like(std)\n    return mu + eps * std", 2),
        ("    return mu + ops.exp(self.log_var) * ops.standard_normal(mu.shape)", 2),
        ("    sigma = logvar.exp()\n    return mu + sigma * noise", 2),
        ("    std = ops.exp(0.5 * logvar)\n    return mu + eps * std", None),
        ("    std = ops.exp(logvar / 2)\n    return mu + eps * std", None),
        ("    std = ops.exp(log_std)\n    return mu + eps * std", None),
        ("    var = ops.exp(logvar)\n    return mu + eps * ops.sqrt(var)", None),
        ("    var = ops.exp(logvar)\n    return 0.5 * (mu * mu + var - logvar - 1)", None),
        ("    std = ops.exp(logvar)\n    kl = 2 * logvar\n    return mu + eps * std", None),
    ],
)
def test_deviation(tmp_path, body, line):
    made = Run(source={"train.py": f"def sample(self, mu, logvar):\n{body}\n"})
    told = judge_sampled_deviation(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == ([line] if line else None)
