"""Arrays less the mean divided by the deviation, where brackets are missing (dp.01)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_MEANS, _WIDTHS = ("mean", "nanmean", "average", "min", "median"), ("std", "nanstd", "max", "ptp")


def missing_brackets(run_data: RunData) -> Optional[Finding]:
    """Problem: ``x - mean / std`` with a mean (or minimum) and a deviation (or range) that are taken of one array, as calls or by
    names that such calls give their values; else None. The division comes first, and x is neither centred nor scaled."""
    for file in dict.fromkeys(file for file, _ in run_data.source.calls_anywhere(_WIDTHS)):
        for node in run_data.source.nodes(file, ast.BinOp):
            plain = isinstance(node.op, ast.Sub) and not isinstance(node.left, ast.BinOp)
            quotient = node.right if plain else None
            if not isinstance(quotient, ast.BinOp) or not isinstance(quotient.op, ast.Div):
                continue
            centre = _taken_of(run_data, file, quotient.left, _MEANS)
            width = _taken_of(run_data, file, quotient.right, _WIDTHS)
            if centre and centre == width:
                where = place(file, node.lineno)
                return problem(
                    Text(
                        "{where} 的 {code} 先做除法：缺少括号，数据既没有减去均值也没有按标准差缩放。",
                        "{where} computes {code}, which divides first: brackets are missing, and the values are neither centred "
                        "nor scaled.",
                        where=at(where),
                        code=ast.unparse(node),
                    ),
                    Text("写成 (x - mean) / std。", "Write (x - mean) / std."),
                    [run_data.code_at([where], Text("缩放之处", "Where it is scaled"))],
                    [where],
                )
    return None


def _taken_of(run_data: RunData, file: str, node: ast.expr, names: tuple) -> str:
    """The array that a statistic is taken of, as ``x.mean(0)`` or ``np.mean(x, 0)``, at once or by a name; else an empty text."""
    if isinstance(node, ast.Name):
        value = run_data.source.only_value(file, node.id)
        return _taken_of(run_data, file, value, names) if isinstance(value, ast.Call) else ""
    if not isinstance(node, ast.Call) or called_name(node) not in names:
        return ""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if owner is None or (isinstance(owner, ast.Name) and owner.id in ("np", "numpy", "ops", "mint")):
        owner = node.args[0] if node.args else None
    return ast.unparse(owner) if owner is not None else ""
