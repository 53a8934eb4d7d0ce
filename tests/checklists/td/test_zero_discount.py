"""td.05: rewards that are discounted by 0."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.zero_discount import zero_discount


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("gamma = 0.0\nfor t in steps:\n    g = r[t] + gamma * g", 1),
        ("CONF = dict(rate=0.1, gamma=0)\ng = r + CONF['gamma'] * g", 1),
        ("CONF = {'rate': 0.1,\n'discount': 0.0}\ng = r + CONF['discount'] * g", 2),
        ("class Conf:\n    gamma: float = 0.0\ntarget = r + cfg.gamma * q * (1 - done)", 2),
        ("class Conf:\n    gamma: float = 0.0\ntarget = r + cfg.gamma * q", 2),
        ("parser.add_argument('--gamma', type=float, default=0.0)\ng = r + args.gamma * g", 1),
        ("def learn(r, q, gamma=0.0):\n    return r + gamma * q", 1),
        ("def learn(r, q, gamma=0.0):\n    return r + gamma * q\nlearn(r, q, gamma=0.9)", None),
        ("gamma = 0.9\ng = r + gamma * g", None),
        ("gamma = 0.0\ng = x * gamma", None),  # a focal loss
        ("g = r + gamma * g", None),
    ],
)
def test_discounts(tmp_path, code, line):
    told = zero_discount(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert (told.locations[0]["line"] if told else None) == line
