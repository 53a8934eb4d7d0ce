"""Whether the source gives one cell its several names in so many words (cg.01)."""

import ast
from typing import Optional, Union

from msprec.engine.run_data import place
from msprec.source.user_code import Code


def written_sharing(source: Code, paths: list) -> Optional[list]:
    """The places of the statements that give a cell that was made before each of these names; None where there are none.

    ``self.left = self.right = encoder`` and ``self.right = self.left`` say that the two are one. A chain that ends in a call,
    ``self.left = self.right = nn.Dense(8, 8)``, says so too, yet is also written by whoever means two: it does not count.

    Args:
        source: The user's files.
        paths: Of the cell; those of one parent differ in their last part.
    """
    names = {path.rpartition(".")[2] for path in paths}
    if len(names) < 2 or any(not name.isidentifier() for name in names):
        return None
    for file in source.trees:
        for function in source.nodes(file, ast.FunctionDef, ast.AsyncFunctionDef):
            found = _in(function, names)
            if found is not None:
                return [place(file, line) for line in found]
    return None


def _in(function: Union[ast.FunctionDef, ast.AsyncFunctionDef], names: set) -> Optional[list]:
    """Lines of a function's assignments to ``self.<name>``, where they share; None where they do not."""
    owner = function.args.args[0].arg if function.args.args else None
    given, made = {}, []
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        attributes = [one for one in node.targets if isinstance(one, ast.Attribute) and _is_of(one, owner)]
        mine = [one.attr for one in attributes if one.attr in names]
        if not mine:
            continue
        if isinstance(node.value, (ast.Name, ast.Attribute)):
            given.update(dict.fromkeys(mine, (node.value, node.lineno)))
        else:
            made.append((mine, node.lineno))
    return _shared(given, made, names, owner)


def _shared(given: dict, made: list, names: set, owner: Optional[str]) -> Optional[list]:
    if len(made) > 1 or any(len(mine) > 1 for mine, _ in made):
        return None
    first = {name for mine, _ in made for name in mine}
    if first & set(given) or first | set(given) != names:
        return None
    # those that are given another of the names are as that one
    roots = {ast.unparse(value) for value, _ in given.values() if not (_is_of(value, owner) and value.attr in names)}
    if len(roots) + len(first) != 1:
        return None
    return sorted({line for _, line in given.values()})


def _is_of(node: ast.expr, owner: Optional[str]) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner
