"""dp.05: data that are cut by the rank twice, as the code tells."""

import types

import pytest

from msprec.checklists.dp.sharding.cut_twice import cut_twice
from msprec.source.user_code import Code

_SOURCE = """class Rows:
    def __init__(self, x, rank, world):
        n = len(x) // world
        lo = rank * n
        self.x = {}
def loader(x, rank, world):
    return GeneratorDataset(Rows(x, rank, world), ["x"])
"""
_CUT = _SOURCE.format("x[lo:lo + n]")


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_CUT + "data = loader(x[rank::world], rank, world)\n", [5, 8]),
        (_CUT + "part = slice(rank * n, rank * n + n)\ndata = loader(x[part], rank, world)\n", [5, 9]),
        (_CUT + "mine = x[rank::world]\nrows = Rows(mine, rank, world)\n", [5, 8]),
        ("mine = x[rank::world]\ndata = NumpySlicesDataset((mine, y), num_shards=world, shard_id=rank)\n", [2, 1]),
        (_CUT + "data = loader(x, rank, world)\n", None),
        (_CUT + "data = loader(x[:100], rank, world)\n", None),
        (_SOURCE.format("x") + "data = loader(x[rank::world], rank, world)\n", None),
        ("mine = x[rank::world]\ndata = NumpySlicesDataset((mine, y), num_shards=1, shard_id=0)\n", None),
        ("mine = x[node_rank::nodes]\ndata = NumpySlicesDataset(mine, num_shards=8, shard_id=local_rank)\n", None),
        ("data = NumpySlicesDataset((x, y), num_shards=world, shard_id=rank)\n", None),
        ("def f(x):\n    return f(x)\nf(x[rank::world])\n", None),
    ],
)
def test_cut_by_the_rank(code, lines):
    found = cut_twice(types.SimpleNamespace(source=Code({"train.py": code}), code_at=lambda *_: None))
    assert (found and [one["line"] for one in found.locations]) == lines
