"""Predictions for a shuffled data set of inputs alone that are compared with an array (ds.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.ds.label_validity.compared_predictions import (
    SHUFFLED,
    asks_for_shuffle,
    equalities,
    plain_array,
)
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, target_names


def compared_with_arrays(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where what is predicted for a shuffled data set of inputs alone is compared with an array: no label comes with it, and no
    array is in its order."""
    for file in sorted(run_data.source.names_called().get(SHUFFLED, ())):
        for store in run_data.source.nodes(file, ast.Assign):
            line = _shuffled_inputs(store)
            if line is None or len(store.targets) != 1 or not isinstance(store.targets[0], ast.Name):
                continue
            functions = _predicting(run_data, file, store.targets[0].id)
            for _, one, sides in equalities(run_data, [file]):
                called = [isinstance(side, ast.Call) and called_name(side) in functions for side in sides]
                plain = [side for side, predicted in zip(sides, called) if not predicted]
                if called.count(True) == 1 and plain_array(plain[0]):
                    return _of_inputs_alone(place(file, line), place(file, one.lineno), plain_array(plain[0]))
    return None


def _shuffled_inputs(store: ast.Assign) -> Optional[int]:
    """The line of ``NumpySlicesDataset`` of one array, shuffled, in what a statement gives a name."""
    for call in (one for one in ast.walk(store.value) if isinstance(one, ast.Call) and called_name(one) == SHUFFLED):
        named = next((one.value for one in call.keywords if one.arg == "data"), None)
        data = call.args[0] if call.args else named
        if asks_for_shuffle(call, {}) and len(getattr(data, "elts", getattr(data, "values", [data]))) == 1:
            return call.lineno
    return None


def _predicting(run_data: RunData, file: str, dataset: str) -> set:
    """The names of functions that go over a data set by its name and return what a call gives for each batch."""
    return {
        node.name
        for node in run_data.source.nodes(file, ast.FunctionDef)
        if any(
            isinstance(one, (ast.For, ast.comprehension)) and dataset in target_names(one.iter)
            for one in ast.walk(node)
        )
        and any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(node))
    }


def _of_inputs_alone(made: Fact, compared: Fact, labels: str) -> tuple:
    says = Text(
        "{made} 的数据集只有输入且会混洗，按它得到的预测却在 {compared} 与 {labels} 逐个比较：预测与标签不属于同一样本",
        "The data set of {made} holds inputs alone and is shuffled, and what is predicted for it is compared at {compared} with "
        "{labels}: prediction and label are of different samples",
        made=at(made),
        compared=at(compared),
        labels=labels,
    )
    advice = Text("评估用的数据集设 shuffle=False。", "Give the data set of an evaluation shuffle=False.")
    return says, advice, made, compared
