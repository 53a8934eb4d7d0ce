"""Predictions that are compared with labels of other samples, or that say nothing of the class (ds.02)."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Optional, Union

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.argmax_axis import (
    argmax_over_places,
    comes_from_network,
    of_network,
    scores_shape,
    written_axis,
)
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, names_read, nodes_within, own_nodes, target_names

_SCOPES = (ast.Module, ast.FunctionDef)
#: A data set of arrays that is shuffled where nothing is said, and one of what a class hands out of the arrays it was given.
SHUFFLED, _SOURCE = "NumpySlicesDataset", "GeneratorDataset"
#: The axis of the classes.
_LAST = (1, -1)
#: What makes a class of an output.
_CHOOSES = re.compile(r"arg|round|rint|where|int|bool|sign$|greater|heaviside|astype|topk|ceil|floor")


def classless_argmax(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the class is taken by argmax over an output of one unit, which is always 0."""
    if {tuple(one.predicted.shape or ())[1:] for one in run_data.probes.losses} != {(1,)}:
        return None
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            if called_name(call) == "argmax" and written_axis(call) in _LAST and of_network(run_data, file, call):
                where = place(file, call.lineno)
                says = Text(
                    "{where} 对只有一个单元的输出取 argmax，结果永远是 0：得到的类别与网络的输出无关",
                    "{where} takes the class by argmax over an output of one unit, which is always 0: the class does not depend "
                    "on what the network gives",
                    where=at(where),
                )
                advice = Text(
                    "把概率与 0.5 比较（logits 与 0 比较）。", "Compare the probability with 0.5, or the logit with 0."
                )
                return says, advice, where
    return None


def class_over_places(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the class of each place is taken by argmax over the places: the shapes fit, and the labels are compared with
    something else."""
    found = run_data.once(argmax_over_places)
    if found is None:
        return None
    says = Text(
        "{where} 沿位置（第 1 轴）而不是沿类别（最后一轴）取 argmax；位置与类别都是 {n} 个，形状相符，得到的却不是"
        "各位置的类别",
        "{where} takes argmax along the places (axis 1), not along the classes (the last axis): there are {n} of "
        "either, so that the shapes fit, and it is not the class of each place",
        where=at(found.place),
        n=found.places,
    )
    return says, Text("用 argmax(axis=-1)。", "Take argmax(axis=-1)."), found.place


def one_column_as_class(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where one column of an output for three classes or more, as it is or rounded, is compared with the numbers of the
    classes."""
    _, classes = scores_shape(run_data)
    if classes < 3:
        return None
    for file, compare, sides in equalities(run_data, run_data.source.trees):
        for side, other in (sides, sides[::-1]):
            column = _column_of(side)
            if column is not None and isinstance(other, ast.Name) and comes_from_network(run_data, file, [column]):
                return _of_one_column(place(file, compare.lineno), column, classes)
    return None


def equalities(run_data: RunData, files: Iterable) -> Iterator[tuple]:
    """``(file, node, [left, right])`` of each ``left == right`` in some files."""
    for file in files:
        for node in run_data.source.nodes(file, ast.Compare):
            if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
                yield file, node, [node.left, *node.comparators]


def probability_as_class(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the output of a network for two classes, a number for each sample, is compared with the labels as it is, without a
    bound or rounding: hardly any number is one of them."""
    kinds = {one.kind for one in run_data.probes.losses}
    if not kinds or not kinds <= {"bce", "bce_with_logits"}:
        return None
    for file, compare, sides in equalities(run_data, run_data.source.trees):
        raw = [_is_raw_output(run_data, file, side) for side in sides] if all(map(plain_array, sides)) else []
        if raw.count(True) == 1:
            return _of_raw_output(place(file, compare.lineno), plain_array(sides[raw.index(True)]))
    return None


def _is_raw_output(run_data: RunData, file: str, side: ast.expr) -> bool:
    """Whether a side names what a network gives, and neither it nor what the name is given chooses a class."""
    value = run_data.source.only_value(file, plain_array(side))
    if value is None or _chooses(side) or _chooses(value):
        return False
    return comes_from_network(run_data, file, [value])


def _chooses(value: ast.expr) -> bool:
    """Whether a value is compared with a bound, rounded or made a whole number."""
    nodes = list(ast.walk(value))
    calls = [called_name(one) for one in nodes if isinstance(one, ast.Call)]
    return any(isinstance(one, ast.Compare) for one in nodes) or any(map(_CHOOSES.search, calls))


def _of_raw_output(where: Fact, name: str) -> tuple:
    says = Text(
        "{where} 把网络输出的 {name} 直接与标签 0、1 比较，没有先按 0.5（logits 按 0）分界：几乎没有一个数恰好相等",
        "{where} compares {name}, what the network gives, with the labels 0 and 1 as it is, and takes no class by a bound first: "
        "hardly any number is equal to either",
        where=at(where),
        name=name,
    )
    advice = Text("先取 {name} > 0.5（logits 为 > 0），再比较。", "Take {name} > 0.5 first (> 0 of logits).", name=name)
    return says, advice, where


def _column_of(side: ast.expr) -> Optional[ast.Subscript]:
    """``x[:, 1]`` in an expression in which nothing is compared and no class is chosen; else None."""
    nodes = list(ast.walk(side))
    if any(isinstance(one, ast.Compare) or (isinstance(one, ast.Call) and "arg" in called_name(one)) for one in nodes):
        return None
    for one in (node for node in nodes if isinstance(node, ast.Subscript)):
        parts = one.slice.elts if isinstance(one.slice, ast.Tuple) else []
        if len(parts) == 2 and isinstance(parts[0], ast.Slice) and isinstance(parts[1], ast.Constant):
            return one
    return None


def _of_one_column(where: Fact, column: ast.Subscript, classes: int) -> tuple:
    says = Text(
        "{where} 把网络输出的一列（{column}）与类别编号比较，而输出有 {classes} 个类别、每类一列：一列说明不了属于哪一类",
        "{where} compares one column of the network's output ({column}) with the numbers of the classes, and the output has a "
        "column for each of {classes}: one of them does not tell the class",
        where=at(where),
        column=f"[:, {ast.unparse(column.slice.elts[1])}]" if isinstance(column.slice, ast.Tuple) else "",
        classes=classes,
    )
    advice = Text("用 argmax(axis=1) 取得类别，再与标签比较。", "Take the class by argmax(axis=1) and compare that.")
    return says, advice, where


def compared_out_of_order(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where predictions for a data set that is shuffled are compared with the array that it was made of, in its own order."""
    for file in run_data.source.trees:
        made = run_data.source.calls_named(file, (SHUFFLED, _SOURCE))
        for scope in run_data.source.nodes(file, *_SCOPES) if made else ():
            for asked, labels, compared in _compared(run_data, file, scope):
                says = Text(
                    "{made} 的数据集会混洗，按它得到的预测却在 {compared} 与原来顺序的 {labels} 比较：预测与标签不属于同一样本",
                    "The data set of {made} is shuffled, and what is predicted for it is compared at {compared} with {labels} in "
                    "its own order: prediction and label are of different samples",
                    made=at(place(file, asked)),
                    compared=at(place(file, compared)),
                    labels=labels,
                )
                advice = Text(
                    "评估用的数据集设 shuffle=False，或在同一循环中收集标签。",
                    "Give the data set of an evaluation shuffle=False, or collect the labels in the same loop.",
                )
                return says, advice, place(file, asked), place(file, compared)
    return None


def compared_each_with_each(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where an evaluation compares what the network gave, (N, 1), with labels of shape (N,), which makes (N, N)."""
    found = next((one for one in run_data.square_comparisons if one.place and len(one.shapes) == 2), None)
    if found is None:
        return None
    left, right = (str(tuple(shape)) for shape in found.shapes)
    says = Text(
        "{where} 把形状为 {left} 的数组与形状为 {right} 的数组逐元素计算，广播后每个预测与每个标签都比较一次：得到的指标没有意义",
        "{where} takes arrays of the shapes {left} and {right} together, which broadcast: each prediction is compared with each "
        "label, and the score means nothing",
        where=at(found.place),
        left=left,
        right=right,
    )
    advice = Text(
        "比较之前让两者形状相同，例如对预测用 .squeeze(-1) 或 reshape(-1)。",
        "Bring both to one shape before they are compared, as by .squeeze(-1) or reshape(-1) of the prediction.",
    )
    return says, advice, found.place


def _compared(run_data: RunData, file: str, scope: Union[ast.Module, ast.FunctionDef]) -> Iterator[tuple]:
    """``(line of the data set, name of the labels, line of the comparison)``."""
    own = [
        one
        for statement in scope.body
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        for one in ast.walk(statement)
    ]
    for store in (one for one in own if isinstance(one, ast.Assign) and len(one.targets) == 1):
        made = next(
            (found for one in ast.walk(store.value) if (found := _shuffled_set(run_data, one)) is not None), None
        )
        if made is None or not isinstance(store.targets[0], ast.Name):
            continue
        predicted = _predicted_for(run_data, own, store.targets[0].id, store.lineno, made.key)
        labels = {made.labels} | {
            name
            for one in own
            if isinstance(one, ast.Assign) and target_names(one.value) == [made.labels]
            for name in bound_names(one.targets)
        }
        for one in own:
            if one.__class__ in (ast.Compare, ast.Call) and one.lineno > store.lineno and predicted:
                sides = [one.left, *one.comparators] if isinstance(one, ast.Compare) else one.args
                plain = any(plain_array(side) in labels for side in sides)
                if plain and any(set(target_names(side)) & predicted for side in sides):
                    yield made.line, made.labels, one.lineno


def plain_array(side: ast.expr) -> str:
    """``y`` of y, ``y[:, 0]`` and ``y.argmax(1)``, as methods that are given numbers alone give it; empty of anything else."""
    while not isinstance(side, ast.Name):
        if isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and not names_read(_given(side)):
            side = side.func.value
        elif isinstance(side, ast.Subscript) and not names_read(ast.walk(side.slice)):
            side = side.value
        else:
            return ""
    return side.id


def _given(call: ast.Call) -> Iterator[ast.AST]:
    for one in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from ast.walk(one)


class _Set(NamedTuple):
    """A data set of arrays that is shuffled: the ``line`` that asks for it, the array of its ``labels``, and their ``key`` where
    its columns have names."""

    line: int
    labels: str
    key: str


def _shuffled_set(run_data: RunData, node: ast.AST) -> Optional[_Set]:
    """Of a call that makes a data set of arrays, or of a function of the script's that makes one and returns something."""
    if not isinstance(node, ast.Call):
        return None
    if called_name(node) in (SHUFFLED, _SOURCE):
        return _set_of(node, node, {})
    made = run_data.source.functions(called_name(node))
    nodes = [one for _, function in made for one in own_nodes(function)]
    calls = [one for one in nodes if isinstance(one, ast.Call) and called_name(one) in (SHUFFLED, _SOURCE)]
    if not any(isinstance(one, ast.Return) and one.value is not None for one in nodes):
        return None
    return _set_of(calls[0], node, _arguments(made[0][1], node)) if len(made) == len(calls) == 1 else None


def _arguments(function: ast.FunctionDef, call: ast.Call) -> dict:
    """What a call gives each parameter of a function; else its default."""
    names = [one.arg for one in function.args.args]
    given = dict(zip(names[len(names) - len(function.args.defaults) :], function.args.defaults))
    return {**given, **dict(zip(names, call.args)), **{one.arg: one.value for one in call.keywords if one.arg}}


def asks_for_shuffle(made: ast.Call, given: dict) -> bool:
    """Whether a call makes a data set that is shuffled, as it says or by itself; ``given``: values of names in it."""
    words = {one.arg: one.value for one in made.keywords}
    said = words.get("shuffle")
    said = given.get(said.id, said) if isinstance(said, ast.Name) else said
    on = isinstance(said, ast.Constant) and bool(said.value)
    by_itself = said is None and called_name(made) == SHUFFLED
    return (on or by_itself) and "sampler" not in words


def _set_of(made: ast.Call, call: ast.Call, given: dict) -> Optional[_Set]:
    words = {one.arg: one.value for one in made.keywords}
    if not asks_for_shuffle(made, given) or not made.args:
        return None
    parts = made.args[0]
    columns = words.get("column_names", made.args[1] if len(made.args) > 1 else None)
    keys = parts.keys if isinstance(parts, ast.Dict) else getattr(columns, "elts", [])
    last = (_arrays(parts) or [None])[-1]
    last = given.get(last.id, last) if isinstance(last, ast.Name) else None
    key = str(keys[-1].value) if keys and isinstance(keys[-1], ast.Constant) else ""
    return _Set(call.lineno, last.id, key) if isinstance(last, ast.Name) else None


def _arrays(parts: ast.expr) -> list:
    """Two arrays or more that a data set is made of, at once or by way of a class that is given them."""
    if isinstance(parts, ast.Dict):
        arrays = parts.values
    else:
        arrays = parts.args if isinstance(parts, ast.Call) else getattr(parts, "elts", [])
    return arrays if len(arrays) > 1 else []


def _predicted_for(run_data: RunData, own: list, dataset: str, after: int, key: str) -> set:
    """The names of what loops over a data set gather without its labels, the last of a sample or what its ``key`` gives, and of
    what is made of it."""
    found: set = set()
    for one in own:
        if isinstance(one, ast.For) and dataset in target_names(one.iter):
            found |= _gathered(one)
        if isinstance(one, ast.Assign) and one.lineno > after:
            gathers = any(
                isinstance(call, ast.Call)
                and any(isinstance(given, ast.Name) and given.id == dataset for given in call.args)
                and _gathers(run_data, called_name(call))
                for call in ast.walk(one.value)
            )
            listed = any(isinstance(part, ast.ListComp) and _lists(part, dataset, key) for part in ast.walk(one.value))
            if gathers or listed or set(target_names(one.value)) & found:
                found |= bound_names(one.targets)
    return found


def _lists(node: ast.ListComp, dataset: str, key: str) -> bool:
    """Whether a list is what calls give for the samples of a data set, and reads no label."""
    one = node.generators[0]
    if dataset not in target_names(one.iter) or not any(isinstance(part, ast.Call) for part in ast.walk(node.elt)):
        return False
    if isinstance(one.target, ast.Tuple):
        label = one.target.elts[-1]
        return isinstance(label, ast.Name) and label.id not in target_names(node.elt)
    texts = {
        part.value for part in ast.walk(node.elt) if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    return bool(key and texts) and key not in texts


def _gathers(run_data: RunData, function: str) -> bool:
    """Whether a function of that name gathers predictions alone over what it is given, and nothing else."""
    made = [node for _, node in run_data.source.functions(function)]
    loops = [one for node in made for one in ast.walk(node) if isinstance(one, ast.For)]
    returned = [one for node in made for one in ast.walk(node) if isinstance(one, ast.Return)]
    alone = all(one.value is not None and not isinstance(one.value, ast.Tuple) for one in returned)
    return bool(returned) and alone and any(_gathered(loop) for loop in loops)


def _gathered(loop: ast.For) -> set:
    """The lists that a loop over samples and labels appends to, where it reads no label."""
    target = loop.target.elts[-1] if isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2 else None
    target = target.elts[-1] if isinstance(target, ast.Tuple) and target.elts else target
    if not isinstance(target, ast.Name):
        return set()
    nodes = list(nodes_within(loop.body))
    if any(isinstance(one, ast.Name) and one.id == target.id for one in nodes):
        return set()
    appends = [one for one in nodes if isinstance(one, ast.Call) and called_name(one) in ("append", "extend")]
    return {
        one.func.value.id
        for one in appends
        if isinstance(one.func, ast.Attribute) and isinstance(one.func.value, ast.Name)
    }
