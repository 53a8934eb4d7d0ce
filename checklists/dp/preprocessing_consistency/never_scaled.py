"""Predictions that a scaler brings back to the unit of the targets, which it never scaled (dp.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, label_column, train_sets
from msprec.checklists.common.script.array_origin import label_origins
from msprec.checklists.dp.preprocessing_consistency.not_scaled_back import predicts
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, root_name, target_names

_SCALES, _BACK = ("transform", "fit_transform"), ("inverse_transform",)
#: Mean and deviation of targets that were standardised or brought between two small numbers, at most.
_SCALED = 2.0
#: A scaler that leaves the numbers nearly as they are, or spreads them widely.
_LEAVES = r"with_std\s*=\s*False|feature_range\s*=.*\d\d"


def never_scaled(run_data: RunData) -> Optional[Finding]:
    """A problem where the code calls ``inverse_transform`` of an object whose ``transform`` it never calls, or of what a network
    predicts, and the targets that were trained with lie far from 0 or are spread widely; None elsewhere."""
    targets = _wide_targets(run_data)
    if targets is None:
        return None
    for file in run_data.source.trees:
        back = [one for one in run_data.source.calls_named(file, _BACK) if isinstance(one.func, ast.Attribute)]
        scaled = {_object(one) for one in run_data.source.calls_named(file, _SCALES)}
        for call in back:
            name = _object(call)
            scales = name in scaled
            told = not scales or (_of_predictions(run_data, file, call) and not run_data.find_lines(_LEAVES, 1))
            if name and told:
                return _finding(run_data, targets, name, place(file, call.lineno), scales)
    return None


def _object(call: ast.Call) -> str:
    """What a method is called of, as the code has it; empty for what is no name."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    return ast.unparse(held) if isinstance(held, (ast.Name, ast.Attribute)) and root_name(held) else ""


def _of_predictions(run_data: RunData, file: str, call: ast.Call) -> bool:
    """Whether a call is given what a network predicts, as it is or by a name."""
    names = {name for given in call.args[:1] for name in target_names(given)}
    stores = [one for one in run_data.source.nodes(file, ast.Assign) if names & bound_names(one.targets)]
    return any(predicts(one) for one in [*call.args[:1], *(store.value for store in stores)])


def _wide_targets(run_data: RunData):
    """The column of a regression's targets that is not scaled."""
    for dataset in train_sets(run_data):
        column = label_column(dataset)
        if column is None or dataset.label.kind != "regression" or None in (column.mean, column.std):
            continue
        if max(abs(column.mean), abs(column.std)) > _SCALED:
            return column
    return None


def _finding(run_data: RunData, targets, name: str, back, scales: bool) -> Finding:
    places = [back, *label_origins(run_data)[:3]]
    never = Text("，而 {name}.transform 从未被调用", ", and {name}.transform is never called", name=name)
    return problem(
        Text(
            "{back} 用 {name}.inverse_transform 还原预测{never}：训练用的目标（{column}，均值 {mean}，"
            "标准差 {std}）没有缩放，预测被多还原了一次。",
            "At {back} {name}.inverse_transform brings predictions back{never}: the targets of the training ({column}, mean "
            "{mean}, standard deviation {std}) were not scaled, and their unit is applied twice.",
            back=at(back),
            name=name,
            never=Text("", "") if scales else never,
            column=targets.name,
            mean=targets.mean,
            std=targets.std,
        ),
        Text(
            "训练前用 {name}.transform 缩放目标。",
            "Scale the targets by {name}.transform before the training.",
            name=name,
        ),
        [run_data.code_at(places, Text("目标与还原", "The targets, and where predictions are brought back"))],
        places,
    )
