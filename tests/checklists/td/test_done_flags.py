"""td.05: the flag of an episode's end taken for that of its going on."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.done_flags import inverted_ends


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("alive = done[t].astype(np.float64)\ndelta = r + gamma * v * alive", [1]),
        ("not_done = Tensor(dones)", [1]),
        ("target = r + gamma * q.max(1) * done", [1]),
        ("target = r + self.gamma * batch.done * nxt", [1]),
        ("alive = 1.0 - done[t]", None),
        ("alive = ~done", None),
        ("alive = np.logical_not(done)", None),
        ("target = r + gamma * q * (1 - done)", None),
        ("done = 0.0 if ended else 1.0\ntarget = r + gamma * q * done", None),  # a mask of that name
        ("target = r + gamma * q * done_mask", None),  # what it holds is not known
        ("total = reward * done", None),
    ],
)
def test_flags(tmp_path, code, lines):
    found = inverted_ends(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert ([one["line"] for one in found.locations] if found else None) == lines
