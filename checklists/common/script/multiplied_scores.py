"""Scores that are multiplied by a mask before a softmax: a score of 0 is one like any other (dp.04, cg.03)."""

import ast
import re
from collections.abc import Sequence
from typing import Optional, Union

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.module import last_name
from msprec.source.user_code import called_name, own_nodes, plain_number

_SOFTMAX = ("softmax", "Softmax", "sparse_softmax", "log_softmax")
#: What puts another value in the place of a score, and what is added to a score to hide it.
_REPLACES, _HIDES = ("masked_fill", "where", "select"), -1e3


def multiplied_scores(run_data: RunData, masks: re.Pattern) -> Optional[Finding]:
    """A problem where what a softmax is given was multiplied by a mask that one of the names tells, where neither the function
    replaces or lowers any score nor the result is multiplied by that mask again."""
    for file, call in run_data.source.calls_anywhere((*_SOFTMAX, *run_data.once(_own))):
        function = run_data.source.function_around(file, call.lineno)
        if function is None or not call.args:
            continue
        nodes = own_nodes(function)
        product = _product(nodes, call, masks)
        if product is not None and not _hides(nodes) and not _again(nodes, call, masks):
            return _finding(run_data, place(file, product[0].lineno), product[1], place(file, call.lineno))
    return None


def _own(run_data: RunData) -> set:
    """The names of attributes that hold a softmax: ``self.softmax = nn.Softmax(-1)``."""
    files = run_data.source.names_called().get("Softmax", ())
    stores = (one for file in files for one in run_data.source.nodes(file, ast.Assign))
    return {
        last_name(one.targets[0])
        for one in stores
        if isinstance(one.value, ast.Call) and called_name(one.value) == "Softmax"
    } - {""}


def _product(nodes: Sequence, call: ast.Call, masks: re.Pattern) -> Optional[tuple]:
    """``(product, name of the mask)`` of what a softmax is given, written there or given to the name before it."""
    value: ast.AST = call.args[0]
    if isinstance(value, ast.Name):
        name = value.id
        stores = [one for one in nodes if isinstance(one, (ast.Assign, ast.AugAssign)) and one.lineno < call.lineno]
        last = max((one for one in stores if name in _bound(one)), key=lambda one: one.lineno, default=None)
        value = value if last is None else last.value if isinstance(last, ast.Assign) else last
    told = _multiplied_by(value, masks)
    return (value, told) if told else None


def _bound(store: Union[ast.Assign, ast.AugAssign]) -> set:
    """The plain names that a statement gives a value."""
    targets = store.targets if isinstance(store, ast.Assign) else [store.target]
    return {one.id for one in targets if isinstance(one, ast.Name)}


def _multiplied_by(node: ast.AST, masks: re.Pattern) -> str:
    """The name of the mask in ``a * mask`` and ``a *= mask``; empty of anything else."""
    if not isinstance(node, (ast.BinOp, ast.AugAssign)) or not isinstance(node.op, ast.Mult):
        return ""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return next((name for side in sides if (name := _mask(side, masks))), "")


def _mask(node: ast.expr, masks: re.Pattern) -> str:
    """The name of a mask, as it is or in another shape or type; empty of anything else."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            break
    name = last_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    # what was masked is no mask
    return name if masks.search(name) and not name.lower().startswith("masked") else ""


def _hides(nodes: Sequence) -> bool:
    """Whether scores are replaced somewhere, or a large negative number stands there."""
    if any(isinstance(one, ast.Call) and called_name(one) in _REPLACES for one in nodes):
        return True
    numbers = (plain_number(one) for one in nodes if isinstance(one, (ast.Constant, ast.UnaryOp)))
    return any(abs(one) >= -_HIDES for one in numbers if one is not None) or any(
        isinstance(one, ast.Attribute) and one.attr in ("inf", "min", "finfo", "NINF") for one in nodes
    )


def _again(nodes: Sequence, call: ast.Call, masks: re.Pattern) -> bool:
    """Whether something is multiplied by such a mask in or after the statement of the softmax."""
    later = (
        one
        for one in nodes
        if isinstance(one, (ast.BinOp, ast.AugAssign))
        if one.lineno > call.lineno or (isinstance(one, ast.BinOp) and any(part is call for part in ast.walk(one)))
    )
    return any(_multiplied_by(one, masks) for one in later)


def _finding(run_data: RunData, where, mask: str, softmax) -> Finding:
    places = [where, softmax] if softmax.line != where.line else [where]
    return problem(
        Text(
            "{where} 在 softmax 之前把得分乘以 {mask}：被遮盖的位置得分为 0，而 exp(0) = 1，它们仍然分到权重。",
            "{where} multiplies scores by {mask} before the softmax: what is masked has a score of 0, and exp(0) is 1, so it "
            "still gets its share.",
            where=at(where),
            mask=mask,
        ),
        Text(
            "用很小的数替换被遮盖位置的得分：ops.masked_fill(scores, {mask} == 0, -1e9)。",
            "Put a very low score there: ops.masked_fill(scores, {mask} == 0, -1e9).",
            mask=mask,
        ),
        run_data.code_at(places, Text("得分与 softmax", "The scores and the softmax")),
        places,
    )
