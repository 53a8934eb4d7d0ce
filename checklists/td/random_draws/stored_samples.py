"""Whether a data source draws upon samples that it holds, or makes its samples of what it draws (td.06)."""

import ast

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, bound_names


def varies_stored_samples(run_data: RunData, where: Fact) -> bool:
    """Whether the function that makes a generator at a place hands it on together with an element of an array, which is no label
    that the function returns as it is."""
    function = run_data.source.function_around(where.file, where.line) if where else None
    if function is None:
        return False
    nodes = list(ast.walk(function))
    made = [one for one in nodes if isinstance(one, ast.Assign) and one.lineno == where.line]
    generators = {name for one in made for name in bound_names(one.targets)}
    numbers = set(argument_names(function))
    returned = {ast.unparse(part) for one in nodes if isinstance(one, ast.Return) for part in _parts(one.value)}
    return any(
        {one.id for one in ast.walk(used) if isinstance(one, ast.Name)} & generators
        and any(_is_stored(one, numbers) and ast.unparse(one) not in returned for one in ast.walk(used))
        for used in nodes
        if isinstance(used, (ast.Call, ast.BinOp))
    )


def _parts(value) -> list:
    return value.elts if isinstance(value, ast.Tuple) else [value] if value is not None else []


def _is_stored(node: ast.AST, numbers: set) -> bool:
    """``self.images[index]``, of a number that the function is given."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id in numbers
