"""Where the operations are written that a ``map`` is given under a name (dp.02)."""

import ast

from msprec.checklists.common.script.mapped_operations import mapped_operations
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, bound_to, called_name

#: What leaves the values as they are.
_LAYOUT = ("HWC2CHW", "TypeCast", "ToPIL", "Decode", "swap_xy")


def listed_operations(run_data: RunData, where: Fact) -> list:
    """The lines of the operations in the lists that are assigned to the name which a line hands to ``map``, of each branch; not
    of those that leave values as they are."""
    names = {one.id for one in mapped_operations(run_data, where) if isinstance(one, ast.Name)}
    around = [one for one in run_data.source.enclosing(where.file, where.line) if isinstance(one, ast.FunctionDef)]
    scope = ast.walk(around[-1]) if around else run_data.source.nodes(where.file, ast.Assign)
    lists = [
        bound_to(node, name)
        for node in (scope if names else ())
        if isinstance(node, ast.Assign)
        for name in names & bound_names(node.targets)
    ]
    operations = [
        one
        for listed in lists
        if isinstance(listed, (ast.List, ast.Tuple))
        for one in listed.elts
        if isinstance(one, ast.Call) and called_name(one) not in _LAYOUT
    ]
    return [place(where.file, line) for line in sorted({one.lineno for one in operations})]
