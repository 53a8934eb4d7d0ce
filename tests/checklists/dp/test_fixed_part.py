"""dp.05: data that are cut for several ranks by constants, where one device trains."""

import types

import pytest

from msprec.checklists.dp.sharding.fixed_part import fixed_part
from msprec.source.user_code import Code

_CUT = "def rows(x):\n    return x[RANK_ID::RANK_SIZE]\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("RANK_ID, RANK_SIZE = 0, 8\n" + _CUT, [3, 1]),
        ("class Config:\n    rank: int = 2\n    world_size: int = 4\nmine = x[cfg.rank::cfg.world_size]\n", [4, 2, 3]),
        ("RANK_ID = 0\nRANK_SIZE = 1\n" + _CUT, None),
        ("RANK_ID, RANK_SIZE = get_rank(), get_group_size()\n" + _CUT, None),
        ("for RANK_ID in range(8):\n    pass\nRANK_SIZE = 8\n" + _CUT, None),  # simulated clients
        ("RANK_ID, RANK_SIZE = 0, 8\nRANK_SIZE = get_group_size()\n" + _CUT, None),
        ("start, step = 0, 8\nmine = x[start::step]\n", None),  # thinned out
    ],
)
def test_constants(code, lines):
    found = fixed_part(types.SimpleNamespace(source=Code({"train.py": code}), code_at=lambda *_: None))
    assert (found and [one["line"] for one in found.locations]) == lines
