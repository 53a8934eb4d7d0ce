"""Definitions that nothing uses."""

import pytest

from msprec.source.unused import is_unused, without_lines
from msprec.source.user_code import Code

_LIBRARY = """
def predict(net, x):
    return net(x).argmax(1)


def evaluate(net):
    return [predict(net, x) for x in net.data]


{decorator}
def alone(net):
    '''predict, evaluate and alone are words here.'''
    return alone
"""


@pytest.mark.parametrize(
    ("line", "script", "decorator", "unused"),
    [
        (3, "import library", "", True),  # only evaluate names it, which nothing names
        (3, "import library\nlibrary.evaluate(net)", "", False),
        (3, "from library import predict", "", False),
        (3, "import library\ngetattr(library, 'predict')", "", False),
        (3, "import library  # predict", "", True),
        (13, "import library", "", True),  # it names itself
        (13, "import library", "@register", False),
        (1, "import library", "", False),  # in no definition
    ],
)
def test_unused(line, script, decorator, unused):
    code = Code({"library.py": _LIBRARY.format(decorator=decorator), "train.py": script})
    assert is_unused(code, "library.py", line) is unused


def test_lines_keep_their_numbers():
    text = "if True:\n    def f():\n        return 1\nx = 2\n"
    left = without_lines(text, [(2, 3)])
    assert left.splitlines() == ["if True:", "    pass", "", "x = 2"]
    compile(left, "left", "exec")
