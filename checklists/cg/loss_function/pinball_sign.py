"""A quantile's loss whose difference is taken the other way round (cg.04)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.part_names import LABELS
from msprec.engine.run_data import RunData, place
from msprec.source.module import last_name
from msprec.source.user_code import own_nodes

_LARGER = ("maximum", "max", "fmax", "where")
_PREDICTED = re.compile(r"pred|forecast|output|logit|estimate|(^|_)(y_?hat|yhat|out|f)$", re.IGNORECASE)
_TRUE = re.compile(r"actual|true|truth|real|observed|(^|_)y$", re.IGNORECASE)


def check_pinball(run_data: RunData) -> Optional[Wrong]:
    """``maximum(q * e, (q - 1) * e)`` of a difference prediction - label: it is least at the quantile 1 - q. The quantile's loss
    takes label - prediction (Koenker and Bassett 1978)."""
    for file, call in run_data.source.calls_anywhere(_LARGER):
        error = _error(call)
        function = run_data.source.function_around(file, call.lineno) if error else None
        stores = [one for one in own_nodes(function) if isinstance(one, ast.Assign)] if function is not None else []
        for one in stores:
            named = isinstance(one.targets[0], ast.Name) and one.targets[0].id == error
            if named and isinstance(one.value, ast.BinOp) and isinstance(one.value.op, ast.Sub) and _turned(one.value):
                return _wrong(place(file, one.lineno), place(file, call.lineno), one.value)
    return None


def _error(call: ast.Call) -> str:
    """``e`` of ``maximum(q * e, (q - 1) * e)`` and ``where(…, q * e, (q - 1) * e)``; else an empty text."""
    products = [one for one in call.args[-2:] if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)]
    if len(call.args) < 2 or len(products) != 2:
        return ""
    for name in _names(products[0]) & _names(products[1]):
        rates = [one.left if last_name(one.right) == name else one.right for one in products]
        written = [ast.unparse(one) for one in rates]
        if any(f"{a} - 1" == b.strip("()") or f"{a} - 1.0" == b.strip("()") for a, b in (written, written[::-1])):
            return name
    return ""


def _names(product: ast.BinOp) -> set:
    return {one.id for one in (product.left, product.right) if isinstance(one, ast.Name)}


def _turned(difference: ast.BinOp) -> bool:
    """Whether a label is taken from a prediction, by their names."""
    sides = (difference.left, difference.right)
    first, second = (last_name(one) if isinstance(one, (ast.Name, ast.Attribute)) else "" for one in sides)
    labels = [
        bool(one) and (LABELS.search(one) is not None or _TRUE.search(one) is not None) for one in (first, second)
    ]
    predicted = [_PREDICTED.search(one) is not None for one in (first, second)]
    return labels == [False, True] and predicted[0] and not predicted[1]


def _wrong(where, used, difference: ast.BinOp) -> Wrong:
    return Wrong(
        Text(
            "{where} 的误差为 {code}，方向反了：{used} 的分位数 loss 学到的是 1 - q 分位数。",
            "The error at {where} is {code}, the wrong way round: the quantile's loss at {used} is least at the quantile 1 - q.",
            where=at(where),
            used=at(used),
            code=ast.unparse(difference),
        ),
        Text("误差应为标签减预测。", "The error is label - prediction."),
        where,
        used,
    )
