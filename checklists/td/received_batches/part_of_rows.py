"""An order of training that is drawn over a part of the rows alone (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, names_read, plain_number, root_name

_DRAWS = ("permutation", "randperm", "arange")


def part_of_rows(run_data: RunData) -> Optional[Finding]:
    """A problem where rows of an array are taken by an order that is drawn over ``len(array) // 2`` numbers, and nothing takes a
    slice of it, as what keeps the other rows back for a test would."""
    for file in sorted(run_data.source.trees):
        for call in run_data.source.calls_named(file, _DRAWS):
            array = _array_of_part(call.args[0]) if len(call.args) == 1 else ""
            if array and _taken_by(run_data, file, array, call) and not _is_sliced(run_data, file, array):
                return _finding(run_data, place(file, call.lineno), array, ast.unparse(call.args[0]))
    return None


def _array_of_part(count: ast.expr) -> str:
    """``x`` of ``len(x) // 2``, ``x.shape[0] // 2`` and ``int(0.5 * len(x))``; empty of the whole and of anything else."""
    if isinstance(count, ast.Call) and called_name(count) == "int" and len(count.args) == 1:
        count = count.args[0]
    if not isinstance(count, ast.BinOp):
        return ""
    left, right = plain_number(count.left), plain_number(count.right)
    divided = isinstance(count.op, (ast.FloorDiv, ast.Div)) and right is not None and right > 1
    scaled = isinstance(count.op, ast.Mult) and any(one is not None and 0 < one < 1 for one in (left, right))
    return _counted(count.left if divided or left is None else count.right) if divided or scaled else ""


def _counted(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and called_name(node) == "len" and len(node.args) == 1:
        return node.args[0].id if isinstance(node.args[0], ast.Name) else ""
    shape = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return root_name(node) if shape else ""


def _taken_by(run_data: RunData, file: str, array: str, call: ast.Call) -> bool:
    """Whether the array's rows are taken by what the call gives, or by a part of that."""
    given = run_data.source.values_given(file)
    orders = {
        name for name, values in given.items() if any(one is not None and call in ast.walk(one) for one in values)
    }
    parts = {
        name
        for name, values in given.items()
        if any(isinstance(one, ast.Subscript) and root_name(one) in orders for one in values)
    }
    taken = [one for one in run_data.source.nodes(file, ast.Subscript) if root_name(one.value) == array]
    return any((orders | parts) & names_read(ast.walk(one.slice)) for one in taken)


def _is_sliced(run_data: RunData, file: str, array: str) -> bool:
    """Whether the script takes rows of the array from one number to another."""
    for one in run_data.source.nodes(file, ast.Subscript):
        if isinstance(one.value, ast.Name) and one.value.id == array:
            rows = one.slice.elts[0] if isinstance(one.slice, ast.Tuple) and one.slice.elts else one.slice
            if isinstance(rows, ast.Slice) and (rows.lower is not None or rows.upper is not None):
                return True
    return False


def _finding(run_data: RunData, drawn: Fact, array: str, count: str) -> Finding:
    return problem(
        Text(
            "{drawn} 只在 {count} 个编号中打乱，而按它取 {array} 的行：其余的行从不参与训练，也没有留作评估。",
            "The order of {drawn} is drawn over {count} numbers, and the rows of {array} are taken by it: the others are never "
            "trained with, and are not kept back for a test either.",
            drawn=at(drawn),
            count=count,
            array=array,
        ),
        Text(
            "对全部行打乱：permutation(len({array}))。", "Draw over all rows: permutation(len({array})).", array=array
        ),
        run_data.code_at([drawn], Text("样本的次序", "The order of the samples")),
        [drawn],
    )
