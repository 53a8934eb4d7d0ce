"""Outputs that a script compares with a number at the end of their range, so that the result is always the same (ds.02)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.shared_targets import any_shared
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, plain_number

_ORDERS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
#: Calls that give what lies between 0 and 1, and that only change the form of what they are given.
_BETWEEN = ("sigmoid", "softmax")
_NUMBERS = ("astype", "int", "int32", "int64", "long")
FORMS = ("asnumpy", "numpy", "squeeze", "reshape", "view", "flatten", "ravel", "astype", "float", "copy")


def always_alike(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the class is taken by ``output > 0`` of a network that ends in a sigmoid, or of a sigmoid's result, or by
    ``output > 1``: what lies between 0 and 1 is always on one side of either; or by a sigmoid, of such a network's output once
    more, above 0.5. What is indexed or asserted by that is no class."""
    ends = [one.output for one in run_data.probes.losses if (one.output.low, one.output.high) == (0, 1)]
    end = ends[0] if ends and len(ends) == len(run_data.probes.losses) else None
    for file, compare, bound in compared_with_numbers(run_data):
        twice = bound == 0.5 and end is not None and squashed_by(run_data, file, compare.left) == "sigmoid"
        if bound not in (0, 1) and not (twice and of_calls(run_data, file, compare.left)):
            continue
        if _is_no_class(run_data, file, compare):
            continue
        of_network = end is not None and _is_output(run_data, file, compare.left, end)
        operator = end.operator if end is not None and of_network else squashed_by(run_data, file, compare.left)
        if operator:
            where = place(file, compare.lineno)
            says = Text(
                "{where} 用 {code} 判定类别，而 {operator} 的结果总在 {low} 与 1 之间：得到的类别与网络的输出无关，永远相同",
                "{where} takes the class by {code}, and what {operator} gives lies between {low} and 1: the result is always the "
                "same",
                low=0.5 if twice else 0,
                where=at(where),
                code=ast.unparse(compare),
                operator=operator,
            )
            advice = Text(
                "把概率与 0.5 比较；0 是 logits 的界限。",
                "Compare probabilities with 0.5; 0 is the bound of logits.",
            )
            return says, advice, where
    return None


def of_calls(run_data: RunData, file: str, node: ast.expr) -> bool:
    """Whether what is compared is ``sigmoid(net(x))``, at once or by one name, with nothing else in between."""
    if isinstance(node, ast.Name):
        value = run_data.source.only_value(file, node.id)
        return value is not None and of_calls(run_data, file, value)
    if isinstance(node, ast.Subscript):
        return of_calls(run_data, file, node.value)
    if not isinstance(node, ast.Call):
        return False
    if called_name(node) in FORMS and isinstance(node.func, ast.Attribute):
        return of_calls(run_data, file, node.func.value)
    given = node.args[0] if called_name(node) == "sigmoid" and node.args else None
    return isinstance(given, ast.Call) and isinstance(given.func, ast.Name) and bool(given.args)


def softmax_of_several_labels(run_data: RunData, dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where labels of which several hold at once are told by holding the result of a softmax against a number: it adds up to one,
    so that no two of them come above a half."""
    if dataset.label.kind != "multi_hot" and not any_shared(run_data):
        return None
    for file, compare, bound in compared_with_numbers(run_data):
        if 0 < bound < 1 and squashed_by(run_data, file, compare.left) == "softmax":
            where = place(file, compare.lineno)
            says = Text(
                "{where} 用 {code} 判定标签，而同一样本可有几个标签：softmax 的结果相加为 1，不会有两个同时超过一半",
                "{where} tells the labels by {code}, and several hold at once: what softmax gives adds up to 1, so that no "
                "two come above a half",
                where=at(where),
                code=ast.unparse(compare),
            )
            advice = Text("对每个标签用 sigmoid。", "Take a sigmoid of each label's score.")
            return says, advice, where
    return None


def other_class(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Where the classes 0 and 1 are told by ``(p[:, 0] > 0.5).astype(int)``, whose 1 is the class 0."""
    two = set(column.values or ()) == {"0", "1"} and dataset.label.kind == "class"
    for file, compare, bound in compared_with_numbers(run_data) if two else ():
        if not 0 < bound < 1 or not isinstance(compare.ops[0], (ast.Gt, ast.GtE)) or _column(compare.left) != 0:
            continue
        numbers = [
            call
            for call in run_data.source.calls_named(file, _NUMBERS)
            if compare in ((call.func.value if isinstance(call.func, ast.Attribute) else None), *call.args)
        ]
        if numbers and _stored_alone(run_data, file, numbers):
            where = place(file, compare.lineno)
            says = Text(
                "{where} 用 {code} 得到的 1 表示第 0 列的概率大，即类别 0：预测与标签正好相反",
                "{where} takes the class by {code}, which is 1 where column 0, the class 0, is likely: predictions are the "
                "reverse of the labels",
                where=at(where),
                code=ast.unparse(compare),
            )
            return says, Text("比较第 1 列，或用 argmax(1)。", "Compare column 1, or take argmax(1)."), where
    return None


def _column(node: ast.expr) -> Optional[int]:
    """``k`` of ``p[:, k]``, whatever changes its form."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called_name(node) in FORMS:
        node = node.func.value
    parts = node.slice.elts if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else []
    number = plain_number(parts[1]) if len(parts) == 2 and isinstance(parts[0], ast.Slice) else None
    return None if number is None else int(number)


def _stored_alone(run_data: RunData, file: str, calls: list) -> bool:
    """Whether one of some calls is what a name is given, or is compared with something at once."""
    stores = [one.value for one in run_data.source.nodes(file, ast.Assign)]
    compared = [one.left for one in run_data.source.nodes(file, ast.Compare) if isinstance(one.ops[0], ast.Eq)]
    return any(call is one for call in calls for one in (*stores, *compared))


def compared_with_numbers(run_data: RunData) -> Iterator[tuple]:
    """``(file, comparison, number)`` of what the script holds against one written number by <, <=, > or >=."""
    for file in run_data.source.trees:
        for compare in run_data.source.nodes(file, ast.Compare):
            bound = plain_number(compare.comparators[0]) if len(compare.ops) == 1 else None
            if bound is not None and isinstance(compare.ops[0], _ORDERS):
                yield file, compare, bound


def _is_no_class(run_data: RunData, file: str, compare: ast.Compare) -> bool:
    """Whether a comparison is asserted, or picks elements."""
    picked = [
        part for one in run_data.source.nodes_at(file, compare.lineno, ast.Subscript) for part in ast.walk(one.slice)
    ]
    return compare in picked or bool(run_data.source.nodes_at(file, compare.lineno, ast.Assert))


def squashed_by(run_data: RunData, file: str, node: ast.expr, depth: int = 0) -> str:
    """The name of the sigmoid or softmax that what is compared is the result of, at once, by one name, or by a function of the
    script that returns nothing else; else an empty one."""
    if isinstance(node, ast.Subscript):
        return squashed_by(run_data, file, node.value, depth)
    if isinstance(node, ast.Name) and not depth:
        values = run_data.source.values_given(file).get(node.id, [])
        found = [squashed_by(run_data, file, one, 1) if one is not None else "" for one in values]
        return found[0] if found and all(found) else ""
    if not isinstance(node, ast.Call):
        return ""
    name = called_name(node)
    if name in FORMS and isinstance(node.func, ast.Attribute):
        return squashed_by(run_data, file, node.func.value, depth)
    return name if name in _BETWEEN else _returned_by(run_data, node) if depth < 2 else ""


def _returned_by(run_data: RunData, call: ast.Call) -> str:
    """The same of what the one function of that name returns."""
    made = run_data.source.functions(call.func.id) if isinstance(call.func, ast.Name) else []
    if len(made) != 1:
        return ""
    file, function = made[0]
    given = [one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value is not None]
    found = [squashed_by(run_data, file, one, 2) for one in given]
    return found[0] if found and all(found) else ""


def _is_output(run_data: RunData, file: str, compared: ast.expr, end: Fact) -> bool:
    """Whether what is compared is a call of the network that holds the sigmoid, at once or by one name."""
    names = {one.id for one in ast.walk(compared) if isinstance(one, ast.Name)}
    stores = [one for one in run_data.source.nodes(file, ast.Assign) if names & bound_names(one.targets)]
    parts = [compared, *(one.value for one in stores if one.lineno <= compared.lineno)]
    calls = {one.func.id for part in parts for one in ast.walk(part) if _is_plain_call(one)}  # type: ignore[attr-defined]
    made = [one for one in run_data.source.nodes(file, ast.Assign) if calls & bound_names(one.targets)]
    return any(_holds(run_data, file, one, end) for one in made)


def _is_plain_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _holds(run_data: RunData, file: str, made: ast.Assign, end: Fact) -> bool:
    """Whether the network that an assignment makes ends in that operator: in its class's ``construct``, or in its own layers."""
    for where in (one for one in (end.place, end.created) if one and one.file):
        around = run_data.source.class_around(where.file, where.line or 0)
        named = called_name(made.value) if isinstance(made.value, ast.Call) else ""
        if around is not None and around.name == named:
            return True
        if where.file == file and made.lineno <= (where.line or 0) <= (made.end_lineno or made.lineno):
            return True
    return False
