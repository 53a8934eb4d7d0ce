"""Rows looked for in an array as it was, and taken from one that was put into a new order since (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.reordered_alone import DRAWS, is_draw
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import FunctionNode, assignments, called_name, own_nodes

_LOOKS = ("where", "flatnonzero", "nonzero", "argwhere", "argsort")


def index_before_order(run_data: RunData) -> Optional[Finding]:
    """A problem where a function keeps ``a[order], b[order]`` under other names, by an order that is drawn in it, and looks for
    rows of ``b`` itself (``np.where(b == c)``): what is found are places in the order before."""
    for file in run_data.source.trees:
        for function in run_data.source.functions_around(file, run_data.source.calls_named(file, DRAWS)):
            line, name = _looked_for(function)
            if line:
                where = place(file, line)
                return problem(
                    Text(
                        "{where} 在打乱之前的 {name} 中查找行号，而保留下来的是打乱之后的数组：找到的是别的样本。",
                        "{where} looks for rows of {name} as it was, and what is kept are the arrays in a new order: the rows "
                        "that are found are those of other samples.",
                        where=at(where),
                        name=name,
                    ),
                    Text(
                        "在打乱之后的标签中查找。",
                        "Look for the rows in the labels as they are kept, after the new order.",
                    ),
                    [run_data.code_at([where], Text("查找之处", "Where rows are looked for"))],
                    [where],
                )
    return None


def _looked_for(function: FunctionNode) -> tuple:
    """``(line, array)``; ``(0, "")`` where nothing is wrong."""
    assigns = [one for one in own_nodes(function) if isinstance(one, ast.Assign)]
    drawn = {
        target.id for node in assigns for target in node.targets if isinstance(target, ast.Name) and is_draw(node.value)
    }
    kept = {
        ast.unparse(held): ast.unparse(value.value)
        for _, held, value, _ in assignments(assigns)
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Name) and value.slice.id in drawn
    }
    # an array that takes its own name again is the new one from there on
    old = {array for held, array in kept.items() if held != array}
    if len(kept) < 2 or any(held == array for held, array in kept.items()):
        return 0, ""
    for call in (one for one in own_nodes(function) if isinstance(one, ast.Call) and called_name(one) in _LOOKS):
        tested = call.args[0] if call.args else None
        left = tested.left if isinstance(tested, ast.Compare) else tested
        name = ast.unparse(left) if left is not None else ""
        if name in old:
            return call.lineno, name
    return 0, ""
