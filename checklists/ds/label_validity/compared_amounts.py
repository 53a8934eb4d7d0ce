"""Amounts that are scored by whether the prediction equals them, as classes are (ds.02)."""

import ast
import math
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, label_column, train_sets
from msprec.checklists.common.training.constant_prediction import REGRESSION
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

_LABELS = re.compile(r"(^|_)(y|ys|t|labels?|targets?|true|truth|gt)(_|\d|$)|^y\w{0,5}$", re.IGNORECASE)
_MEANS = ("mean", "sum", "average", "count_nonzero")
#: Calls that make classes of amounts, or only ask for the sign, before they are compared.
_CLASSES = ("argmax", "sign", "where", "digitize", "signbit", "isnan", "isinf", "sigmoid", "greater", "less")
_CASTS = ("astype", "float", "asnumpy")
_SCORES = ("Accuracy", "accuracy_score", "F1", "Precision", "Recall", "f1_score")
_NAMED = ("acc", "accuracy", "precision", "recall", "F1")


def scored_as_classes(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where targets that are amounts with fractions, of all training sets, are scored by an accuracy: by ``==`` with the
    prediction under a mean or sum, or by a metric of classes."""
    kinds = {one.kind for one in run_data.probes.losses if one.kind}
    sets = [one for one in train_sets(run_data) if one.label.kind]
    if not kinds or not kinds <= set(REGRESSION) or not sets or learns_by_rewards(run_data):
        return None
    if not all(_has_fractions(one) for one in sets):
        return None
    found = next(_scored(run_data), None)
    if found is None:
        return None
    says = Text(
        "标签是带小数的数量（回归），而 {where} 用准确率评估：预测值几乎不会与标签恰好相等，得到的数不反映预测的好坏",
        "The targets are amounts with fractions (a regression), and {where} scores them by an accuracy: a prediction hardly ever "
        "equals its target, and the score does not tell how good it is",
        where=at(found),
    )
    advice = Text(
        "回归用 MAE、MSE（RMSE）或 R² 评估。", "Score a regression by its mean absolute or squared error, or by R²."
    )
    return says, advice, found


def _has_fractions(dataset: Fact) -> bool:
    """Whether the label column of a set holds one amount a sample that is no whole number."""
    column = label_column(dataset)
    if (
        column is None
        or dataset.label.kind != "regression"
        or column.kind != "float"
        or None in (column.mean, column.std)
    ):
        return False
    values = [float(one) for one in column.values or {}]
    whole = all(one == int(one) for one in (column.min, column.max, *values))
    one = math.prod(size for size in column.shape if size) == 1  # pixels are scored by what is made of them
    return one and not whole and (not values or len(values) > 10)


def _scored(run_data: RunData) -> Iterator[Fact]:
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            equal = called_name(call) in _MEANS and any(map(_equals, _taken(call)))
            metrics = [one.value for one in call.keywords if one.arg == "metrics" and called_name(call) == "Model"]
            if equal or called_name(call) in _SCORES or any(map(_named, metrics)):
                yield place(file, call.lineno)


def _taken(call: ast.Call) -> list:
    """What a mean or a sum is taken of: the first argument, or what the method belongs to, without casts."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    found = [one for one in (owner, *call.args[:1]) if one is not None]
    return [_uncast(one) for one in found]


def _uncast(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS:
        node = node.func.value
    return node


def _equals(node: ast.expr) -> bool:
    """Whether it compares a prediction with a label by ``==``, both as they are or rounded."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq):
        return False
    parts = [one for one in ast.walk(node) if isinstance(one, (ast.Call, ast.Compare))]
    if any(isinstance(one, ast.Compare) and one is not node for one in parts):
        return False
    if any(isinstance(one, ast.Call) and called_name(one) in _CLASSES for one in parts):
        return False
    sides = [
        {one.id for one in ast.walk(side) if isinstance(one, ast.Name)} for side in (node.left, node.comparators[0])
    ]
    return all(sides) and any(_LABELS.search(name) for side in sides for name in side)


def _named(metrics: ast.expr) -> bool:
    """Whether metrics of a `Model` are given by such a name alone, as ``{"acc"}``."""
    given = metrics.elts if isinstance(metrics, (ast.Set, ast.List, ast.Tuple)) else []
    return any(isinstance(one, ast.Constant) and one.value in _NAMED for one in given)
