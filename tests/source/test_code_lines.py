"""Searching the lines of the user's files: a search of the whole text first, and the same lines as without it."""

import re

import pytest

from msprec.source.user_code import Code

_TEXT = 'import os  # net.loss\n\n"""loss = 1\nloss = 2"""\nloss = net(x)\n    loss += 1\nx = 3\n'


@pytest.mark.parametrize(
    "pattern",
    [
        r"loss\s*=",
        r"^loss",
        r"1$",
        r"^\s+loss",
        r"(?<!net\.)loss\b",
        r"x = (?!4)",
        r"nothing",
        r"\bnet\([^)]*\)$",
        r"LOSS",
    ],
)
@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_the_lines_that_match(pattern, flags):
    code, wanted = Code({"b.py": _TEXT, "a.py": "y = 1\n"}), re.compile(pattern, flags)
    lines = [(name, number, line) for name in ("a.py", "b.py") for number, line in enumerate(code._code_lines(name), 1)]
    expected = [(name, number) for name, number, line in lines if wanted.search(line)]
    assert list(code.grep(wanted)) == expected
    assert list(code.grep(wanted)) == expected  # from what was found before
