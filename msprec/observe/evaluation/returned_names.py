"""What the numbers that a function returns are called, by its source and by what its caller assigns them to."""

import ast
import linecache
from functools import lru_cache
from typing import Optional

from msprec.record.metric_names import is_metric_name, metric_in

_LARGEST = 1 << 21


def name_of(code, caller: Optional[tuple], position: Optional[int], count: int, key: Optional[str] = None) -> str:
    """The name of one returned number.

    Args:
        code: The code object of the function.
        caller: File and line of the call, or None.
        position: Its place among several returned values, or None where it is the only one.
        count: How many values are returned.
        key: Its key, where a dictionary is returned.

    Returns:
        str: The name of a metric where one is found, else ``function`` or ``function[position]``. A function that is named
        after a metric gives its name to the first value alone, and in the plural to each.
    """
    texts = [key] if key is not None else []
    if caller is not None:
        texts.append(_part(_targets(*caller, code.co_name), position, count))
    texts.append(_part(_returned(code.co_filename, code.co_firstlineno, code.co_name), position, count))
    plural = code.co_name.endswith("s") and not code.co_name.endswith("ss")
    if (not position or plural) and key is None:
        texts.append(code.co_name)
    found = next((name for name in map(metric_in, filter(None, texts)) if name), None)
    function = "returned" if position is not None and is_metric_name(code.co_name) else code.co_name
    shown = function if position is None else f"{function}[{position if key is None else key}]"
    return found if found is not None else shown


def _part(texts: Optional[tuple], position: Optional[int], count: int) -> Optional[str]:
    if not texts:
        return None
    if position is None:
        return " ".join(texts) if len(texts) == 1 else None
    return texts[position] if len(texts) == count else None


@lru_cache(maxsize=64)
def _tree(file: str) -> Optional[ast.Module]:
    text = "".join(linecache.getlines(file))
    try:
        return ast.parse(text) if 0 < len(text) <= _LARGEST else None
    except (SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=512)
def _returned(file: str, line: int, name: str) -> Optional[tuple]:
    """The identifiers in each value of the last ``return`` of a function; None where there is none."""
    node = scope_of(file, line, name) if name != "<module>" else None
    ends = [inner for inner in own_statements(node) if isinstance(inner, ast.Return) and inner.value] if node else []
    return _texts(max(ends, key=lambda end: end.lineno).value) if ends else None


def scope_of(file: str, line: int, name: str) -> Optional[ast.AST]:
    """The function of a name whose definition begins in a line; of the name ``<module>`` the file as a whole."""
    tree = _tree(file)
    if name == "<module>" or tree is None:
        return tree
    named = (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name == name)
    return next((n for n in named if min([n.lineno, *(one.lineno for one in n.decorator_list)]) == line), None)


def own_statements(function: ast.AST):
    """The nodes of a function without those of functions within it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


@lru_cache(maxsize=512)
def _targets(file: str, line: int, name: str) -> Optional[tuple]:
    """What ``a, b = function(…)`` in that line assigns to."""
    tree = _tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign) and node.lineno <= line <= (node.end_lineno or line):
            called = node.value.func if isinstance(node.value, ast.Call) else None
            if called is not None and ast.unparse(called).rsplit(".", 1)[-1] == name:
                return _texts(node.targets[0])
    return None


def _texts(value: ast.expr) -> tuple:
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    return tuple(_identifiers(part) for part in parts)


def _identifiers(value: ast.expr) -> str:
    """The names in an expression in the order of the text, blanks between."""
    found = []
    for node in ast.walk(value):
        word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if word is None and isinstance(node, ast.Constant) and isinstance(node.value, str):
            word = node.value if node.value.isidentifier() else None
        if word is not None:
            found.append((node.lineno, node.col_offset, word))
    return " ".join(word for _, _, word in sorted(found))
