"""Definitions of a project that nothing uses: what stands in them does not happen when its script runs."""

import ast
import re
from typing import Optional

from msprec.source.user_code import Code

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def unused_around(code: Code, file: str, line: int) -> Optional[tuple]:
    """The first and the last line of the outermost definition around a line, where no code that may run names it; else None.

    A name counts wherever it is written, in strings too, but for comments and docstrings; a decorator may hand it on.
    """
    node = _outermost(code, file, line)
    return (
        None if node is None or _used(code, file, node, frozenset()) else (node.lineno, node.end_lineno or node.lineno)
    )


def unused_in(code: Code, file: str) -> list:
    """The same of all outermost definitions of a file."""
    defined = [one for one in code.nodes(file, *_DEFINITIONS) if _outermost(code, file, one.lineno) is one]
    return [(one.lineno, one.end_lineno or one.lineno) for one in defined if not _used(code, file, one, frozenset())]


def without_lines(text: str, spans: list) -> str:
    """A text whose definitions on these lines are taken out; every other line keeps its number."""
    lines = text.splitlines()
    for first, last in spans:
        indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
        lines[first - 1 : last] = [f"{indent}pass", *[""] * (last - first)]
    return "\n".join(lines) + "\n"


def _outermost(code: Code, file: str, line: int):
    return next((one for one in code.enclosing(file, line) if isinstance(one, _DEFINITIONS)), None)


def _used(code: Code, file: str, node, within: frozenset) -> bool:
    key = (file, node.lineno)
    if key in within:
        return False
    if node.decorator_list:
        return True
    for where, line, _ in code.matches(re.compile(rf"\b{node.name}\b")):
        if where == file and node.lineno <= line <= (node.end_lineno or line):
            continue
        outer = _outermost(code, where, line)
        if outer is None or _used(code, where, outer, within | {key}):
            return True
    return False
