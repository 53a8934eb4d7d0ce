"""Definitions of a project that nothing uses: what stands in them does not happen when its script runs."""

import ast
import re

from msprec.source.user_code import Code

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def is_unused(code: Code, file: str, line: int) -> bool:
    """Whether a line stands in a definition that no code which may run names.

    A name counts wherever it is written, in strings too, but for comments and docstrings; a decorator may hand it on.
    """
    node = _outermost(code, file, line)
    return node is not None and not _used(code, node)


def unused_in(code: Code, file: str) -> list:
    """The first and the last lines of the outermost definitions of a file that are unused so."""
    defined = [one for one in code.nodes(file, *_DEFINITIONS) if _outermost(code, file, one.lineno) is one]
    return [(one.lineno, one.end_lineno or one.lineno) for one in defined if not _used(code, one)]


def without_lines(text: str, spans: list) -> str:
    """A text whose definitions on these lines are taken out; every other line keeps its number."""
    lines = text.splitlines()
    for first, last in spans:
        indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
        lines[first - 1 : last] = [f"{indent}pass", *[""] * (last - first)]
    return "\n".join(lines) + "\n"


def _outermost(code: Code, file: str, line: int):
    return next((one for one in code.enclosing(file, line) if isinstance(one, _DEFINITIONS)), None)


def _used(code: Code, node) -> bool:
    """Whether the definition, or one that leads to it by the names that it mentions, is decorated or named outside of all."""
    seen, waiting = {node}, [node]
    while waiting:
        node = waiting.pop()
        if node.decorator_list:
            return True
        for where, line, _ in code.matches(re.compile(rf"\b{node.name}\b")):
            outer = _outermost(code, where, line)
            if outer is None:
                return True
            if outer not in seen:
                seen.add(outer)
                waiting.append(outer)
    return False
