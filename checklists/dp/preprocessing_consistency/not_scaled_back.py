"""Predictions of standardised targets that are compared with targets in their own unit (dp.02)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, label_column, train_sets
from msprec.checklists.common.script.array_origin import label_origins
from msprec.checklists.common.script.part_names import LABELS, OTHER, TRAINING
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name, operand_names, target_names

_SCALES = ("fit_transform", "transform")
_ERRORS = re.compile(r"^(mean_(absolute|squared)|root_mean_squared|median_absolute|max)_error$|^r2_score$")
#: What a call gives that a network predicts with.
_PREDICTS = re.compile(r"(?i)^(net\w*|model|predict|network|regressor|mlp)$")
#: Methods that leave the numbers as they are.
_SHAPES = ("astype", "reshape", "ravel", "flatten", "squeeze", "asnumpy", "copy")
#: Means and deviations of targets that are standardised.
_NEAR = 0.2


def not_scaled_back(run_data: RunData) -> Optional[Finding]:
    """A problem where the code standardises the training targets, whose measured values say so, and takes the error of what the
    network predicts, untouched, against targets for evaluation that nothing scales; None elsewhere."""
    if not _targets_standardised(run_data):
        return None
    for file in run_data.source.trees:
        stores = list(run_data.source.nodes(file, ast.Assign))
        found = _beside_their_source(run_data, file, stores)
        if found is not None:
            return found
        scaled: dict = {}
        for one in (one for one in stores if _scales(one.value)):
            scaled.update((name, one.lineno) for name in bound_names(one.targets) - set(scaled))
        training = sorted(name for name in scaled if _is_label(name) and TRAINING.search(name))
        if not training or run_data.source.calls_named(file, ("inverse_transform",)):
            continue
        for where, sides in _errors(run_data, file):
            raw = next((one for one in sides if _is_label(one) and OTHER.search(one) and one not in scaled), None)
            predicted = [one for one in sides if one != raw and _is_prediction(stores, one)]
            if raw is not None and predicted:
                places = [place(file, where), place(file, scaled[training[0]])]
                return _finding(run_data, predicted[0], raw, training[0], places)
    return None


def _beside_their_source(run_data: RunData, file: str, stores: list) -> Optional[Finding]:
    """The same of the array that the delivered targets were made of, by ``t = (demand - mean) / std``: its rows are in their own
    unit wherever they are compared with what the network predicts."""
    lines = {one.line for one in label_origins(run_data) if one.file == file}
    if run_data.source.calls_named(file, ("inverse_transform",)):
        return None
    for store in (one for one in stores if one.lineno in lines and _scales(one.value)):
        base = scaled_array(store.value)
        made = bound_names(store.targets)
        if not base or base in made or len(made) != 1:
            continue
        for where, sides in _errors(run_data, file):
            predicted = [one for one in sides if one != base and _is_prediction(stores, one)]
            if base in sides and predicted:
                return _finding(
                    run_data, predicted[0], base, made.pop(), [place(file, where), place(file, store.lineno)]
                )
    return None


def scaled_array(value: ast.expr) -> str:
    """``y`` of ``(y - mean) / std``; empty of anything else."""
    for node in ast.walk(value):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_difference(node.left):
            names = target_names(node.left.left)  # type: ignore[attr-defined]
            return names[0] if len(names) == 1 else ""
    return ""


def _targets_standardised(run_data: RunData) -> bool:
    for dataset in train_sets(run_data):
        column = label_column(dataset)
        known = column is not None and None not in (column.mean, column.std) and dataset.label.kind == "regression"
        if column is not None and known and abs(column.mean) < _NEAR and abs(column.std - 1) < _NEAR:
            return True
    return False


def _is_label(name: str) -> bool:
    return LABELS.search(name) is not None


def _scales(value: ast.expr) -> bool:
    """Whether a value is scaled by a scaler, or as ``(y - mean) / std``."""
    return any(
        called_name(node) in _SCALES
        if isinstance(node, ast.Call)
        else isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_difference(node.left)
        for node in ast.walk(value)
    )


def _is_difference(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _errors(run_data: RunData, file: str) -> Iterator[tuple]:
    """``(line, the two names)`` of differences and of calls of an error's function, of plain names and slices of them."""
    for node in run_data.source.nodes(file, ast.BinOp, ast.Call):
        if isinstance(node, ast.BinOp):
            sides = [node.left, node.right] if _is_difference(node) else []
        else:
            sides = node.args[:2] if _ERRORS.search(called_name(node)) else []
        names = [operand_names(one) for one in sides]
        if len(names) == 2 and all(len(one) == 1 for one in names):
            yield node.lineno, [names[0][0], names[1][0]]


def _is_prediction(stores: list, name: str) -> bool:
    """Whether a name is given once what a network predicts, which is cast or put into another shape at the most, and nothing is
    multiplied with it or added to it."""
    values = [one.value for one in stores if name in bound_names(one.targets)]
    values = [one for one in values if not _keeps_values(one, name)]
    if len(values) == 1 and isinstance(values[0], ast.Name) and values[0].id != name:
        return _is_prediction(stores, values[0].id)
    if len(values) != 1 or any(isinstance(one, ast.BinOp) for one in ast.walk(values[0])):
        return False
    return predicts(values[0])


def predicts(value: ast.expr) -> bool:
    """Whether a network is called in a value."""
    return any(isinstance(one, ast.Call) and _PREDICTS.search(called_name(one)) for one in ast.walk(value))


def _keeps_values(value: ast.expr, name: str) -> bool:
    """Whether a value is that of the name, cast or in another shape."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _SHAPES:
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == name


def _finding(run_data: RunData, predicted: str, raw: str, training: str, places: list) -> Finding:
    return problem(
        Text(
            "{error} 用 {predicted} 与未经缩放的 {raw} 相比，而网络学的是标准化后的目标（{made} 的 {training}）："
            "预测没有还原到原来的量纲。",
            "{error} compares {predicted} with {raw}, which nothing scales, and the network has learnt standardised targets "
            "({training}, {made}): the predictions are not brought back to their unit.",
            error=at(places[0]),
            made=at(places[1]),
            predicted=predicted,
            raw=raw,
            training=training,
        ),
        Text(
            "先还原预测（inverse_transform，或乘以标准差再加均值），再与原始目标比较。",
            "Bring the predictions back first, by inverse_transform or times the deviation, plus the mean.",
        ),
        [run_data.code_at(places, Text("误差与标准化", "The error, and where targets are standardised"))],
        places,
    )
