"""Where a loop makes the order in which it takes rows of arrays, and shuffles it nowhere (dp.03)."""

import ast

from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, own_nodes

_IN_ORDER = ("arange", "range")
#: From the rows of a batch back to the order that they are cut from.
_STEPS = 3


def plain_orders(run_data: RunData, where: Fact) -> list:
    """The assignments of ``arange`` or ``range`` that the rows taken at a line come from.

    Args:
        run_data: The run.
        where: Where the training step is called with rows of arrays.
    """
    around = run_data.source.function_around(where.file, where.line) or run_data.source.trees.get(where.file)
    stores = [one for one in own_nodes(around) if isinstance(one, ast.Assign)] if around is not None else []
    taken = [one.slice for one in run_data.source.nodes_at(where.file, where.line, ast.Subscript)]
    names, found = {one.id for part in taken for one in ast.walk(part) if isinstance(one, ast.Name)}, {}
    for _ in range(_STEPS):
        made = [one for one in stores if bound_names(one.targets) & names]
        for one in made:
            calls = [call for call in ast.walk(one.value) if isinstance(call, ast.Call)]
            if any(called_name(call) in _IN_ORDER for call in calls):
                found[one.lineno] = place(where.file, one.lineno)
        names = {part.id for one in made for part in ast.walk(one.value) if isinstance(part, ast.Name)}
    return list(found.values())
