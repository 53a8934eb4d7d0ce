"""One cell under two names: written out, or perhaps a slip."""

import pytest

from msprec.checklists.cg.weight_sharing.static_weight_sharing import written_sharing
from msprec.source.user_code import Code

HEAD = "class Net(nn.Cell):\n    def __init__(self, encoder, other):\n        super().__init__()\n"


def lines(*statements, names=("left", "right")):
    body = "".join(f"        {statement}\n" for statement in statements)
    found = written_sharing(Code({"net.py": HEAD + body}), [f"siamese.{name}" for name in names])
    return found if found is None else [(place.file, place.line) for place in found]


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["self.left = self.right = encoder"], [4]),
        (["self.left = encoder", "self.right = encoder"], [4, 5]),
        (["self.left = nn.Dense(8, 8)", "self.right = self.left"], [5]),
        (["self.left = encoder", "self.right = self.left"], [4, 5]),
        (["shared = nn.Dense(8, 8)", "self.left = shared", "self.right = shared"], [5, 6]),
    ],
)
def test_written_out(statements, expected):
    assert lines(*statements) == [("net.py", line) for line in expected]


@pytest.mark.parametrize(
    "statements",
    [
        ["self.left = self.right = nn.Dense(8, 8)"],
        ["self.left = encoder", "self.right = other"],
        ["self.left = nn.Dense(8, 8)", "self.right = nn.Dense(8, 8)"],
        ["self.left = encoder"],
        ["for name in ('left', 'right'):", "    setattr(self, name, encoder)"],
    ],
)
def test_not_written_out(statements):
    assert lines(*statements) is None


def test_three_names_and_numbers():
    assert lines("self.a = self.b = encoder", "self.c = self.a", names=("a", "b", "c")) == [
        ("net.py", 4),
        ("net.py", 5),
    ]
    assert lines("self.a = self.b = encoder", names=("a", "b", "c")) is None
    assert lines("self.left = encoder", names=("0", "1")) is None
