"""cg.02: a target network that ends as it began."""

import pytest
from building import STILL, Run, parameter, run_data

from msprec.checklists.cg.frozen_weights.still_copy import still_copy

_SYNC = (
    "def sync():\n    for a, b in zip(target.get_parameters(), online.get_parameters()):\n        ops.assign(b, a)\n"
)
_LOOP = "for t in range(900):\n    learn(batch)\n    if t % 50 == 0:\n        sync()\n"


@pytest.mark.parametrize(
    ("code", "moved", "shapes", "lines"),
    [
        (_SYNC + _LOOP, STILL, [[64, 16], [4, 64]], [3, 2, 7]),
        (
            _LOOP.replace("sync()", "ms.load_param_into_net(online, target.parameters_dict())"),
            STILL,
            [[64, 16], [4, 64]],
            [4],
        ),
        (
            _LOOP.replace("sync()", "ms.load_param_into_net(online, ms.load_checkpoint(f))"),
            STILL,
            [[64, 16], [4, 64]],
            None,
        ),
        (_SYNC + _LOOP, {**STILL, "any": True}, [[64, 16], [4, 64]], None),  # it follows
        (
            _SYNC + "sync()\n" + _LOOP.replace("sync()", "log()"),
            STILL,
            [[64, 16], [4, 64]],
            None,
        ),  # copied once, on purpose
        (_SYNC + _LOOP, STILL, [[64, 16], [9, 64]], None),  # another network
    ],
)
def test_copies(tmp_path, code, moved, shapes, lines):
    run = Run(source={"train.py": code})
    changed = {**STILL, "any": True, "relative": 0.2, "max_abs": 0.1}
    trained = [parameter(f"{n}.weight", shape, moved=changed) for n, shape in enumerate(([64, 16], [4, 64]))]
    copies = [parameter(f"t.{n}.weight", shape, in_optimizer=False, moved=moved) for n, shape in enumerate(shapes)]
    run.facts["parameters"]["parameters"] = trained + copies
    found = still_copy(run_data(tmp_path, run))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
