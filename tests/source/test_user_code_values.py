"""The values that names are given in a file."""

import ast

from msprec.source.user_code import Code

TEXT = """a, b = x.mean(), x.std()
c = 3
c += 1
for d in rows:
    e = d
f, g = pair
h: int = 4
"""


def test_values_given():
    code = Code({"train.py": TEXT})
    given = {
        name: [one and ast.unparse(one) for one in values] for name, values in code.values_given("train.py").items()
    }
    assert given == {
        "a": ["x.mean()"],
        "b": ["x.std()"],
        "c": ["3", None],
        "d": [None],
        "e": ["d"],
        "f": [None],
        "g": [None],
        "h": ["4"],
    }
    assert ast.unparse(code.only_value("train.py", "b")) == "x.std()"
    assert code.only_value("train.py", "c") is None and code.only_value("train.py", "z") is None
