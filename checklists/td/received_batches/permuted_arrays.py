"""Arrays that the source shuffles without those that belong to them (td.05)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.engine.run_data import RunData, place

_DRAWN = ("permutation", "randperm")


def permuted_alone(run_data: RunData) -> list:
    """The places where one array is shuffled, in place or by an index that no other array takes, and another is paired with it.

    Two arrays that are shuffled in the same scope belong together, as with one seed before each.
    """
    found = []
    for file, tree in run_data.source.trees.items():
        paired = _paired(tree)
        for scope in [tree, *(n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))]:
            shuffled: dict[str, int] = {}
            for name, line in [*_in_place(scope), *_by_index(scope)]:
                shuffled.setdefault(name, line)
            alone = len(shuffled) == 1
            found += [place(file, line) for name, line in shuffled.items() if alone and name in paired]
    return found


def _name(node: Optional[ast.AST]) -> str:
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _of_scope(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions in it."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def _in_place(scope: ast.AST) -> Iterator[tuple]:
    """``(array, line)`` of ``np.random.shuffle(array)`` and ``rng.shuffle(array)``; lists of numbers are no arrays."""
    for node in _of_scope(scope):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        called, given = node.value.func, node.value.args
        if isinstance(called, ast.Attribute) and called.attr == "shuffle" and len(given) == 1 and _name(given[0]):
            yield _name(given[0]), node.lineno


def _by_index(scope: ast.AST) -> Iterator[tuple]:
    """``(array, line)`` of ``array[order]`` where ``order`` was drawn."""
    drawn = {
        _name(target)
        for node in _of_scope(scope)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if _name(node.value.func).rsplit(".", 1)[-1] in _DRAWN
    }
    for node in _of_scope(scope):
        if isinstance(node, ast.Subscript) and _name(node.slice) in drawn and _name(node.value):
            yield _name(node.value), node.lineno


def _paired(tree: ast.AST) -> set:
    """Names that stand in a tuple, or in the arguments of a call, beside another name."""
    found = set()
    for node in ast.walk(tree):
        held = node.elts if isinstance(node, ast.Tuple) else node.args if isinstance(node, ast.Call) else []
        names = {_name(one) for one in held} - {""}
        if len(names) > 1:
            found |= names
    return found
