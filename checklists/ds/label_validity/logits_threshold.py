"""Outputs that a script compares with a bound of another kind of output: scores with 0.5, amounts with 0 (ds.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import REGRESSION
from msprec.checklists.ds.label_validity.beyond_output import FORMS, compared_with_numbers, of_calls, squashed_by
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name

_DEEPEST = 4
_ROUNDS = ("round", "rint", "around")


def logits_held_against_half(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the class is taken by ``output > 0.5`` of a network whose outputs go into a cross entropy with logits as they are:
    0.5 is the score of a probability of 0.62."""
    if not _gives_logits(run_data):
        return None
    for file, compare, bound in compared_with_numbers(run_data):
        if bound == 0.5 and _is_score(run_data, file, compare.left, 0):
            where = place(file, compare.lineno)
            says = Text(
                "{where} 用 {code} 判定类别，而网络给出的是 logits：0.5 是概率的界限，作为 logits 相当于概率 0.62",
                "{where} takes the class by {code}, and what the network gives are logits: 0.5 is the bound of probabilities, "
                "and as a logit it is a probability of 0.62",
                where=at(where),
                code=ast.unparse(compare),
            )
            advice = Text(
                "把 logits 与 0 比较，或先经过 sigmoid。", "Compare logits with 0, or take their sigmoid first."
            )
            return says, advice, where
    return None


def _gives_logits(run_data: RunData) -> bool:
    """Whether all losses are cross entropies with logits, and are given outputs as they are."""
    losses = run_data.probes.losses
    return bool(losses) and all(one.kind == "bce_with_logits" and one.output.linear for one in losses)


def logits_rounded(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the class is taken by rounding the outputs of such a network, as one rounds probabilities."""
    if not _gives_logits(run_data):
        return None
    for file, call in run_data.source.calls_anywhere(_ROUNDS):
        method = isinstance(call.func, ast.Attribute) and not call.args
        given = call.func.value if method and isinstance(call.func, ast.Attribute) else next(iter(call.args), None)
        if given is not None and _is_score(run_data, file, given, 0):
            where = place(file, call.lineno)
            says = Text(
                "{where} 用 {code} 取整得到类别，而网络给出的是 logits，不是概率：取整之后多数既不是 0 也不是 1",
                "{where} takes the class by {code}, and what the network gives are logits and no probabilities: most of them are "
                "neither 0 nor 1 when they are rounded",
                where=at(where),
                code=ast.unparse(call),
            )
            advice = Text(
                "把 logits 与 0 比较，或先经过 sigmoid。", "Compare logits with 0, or take their sigmoid first."
            )
            return says, advice, where
    return None


def amounts_held_against_zero(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the class is taken by ``output > 0``, or by a sigmoid of it above 0.5, of a network that a regression loss teaches to
    give 0 and 1: what lies half way is 0.5."""
    losses = run_data.probes.losses
    if not losses or any(one.kind not in REGRESSION or not _of_two_ends(one.targets) for one in losses):
        return None
    ends = {(one.output.low, one.output.high) for one in losses}
    for file, compare, bound in compared_with_numbers(run_data):
        plain = bound == 0 and _is_score(run_data, file, compare.left, 0)
        squashed = bound == 0.5 and (0, 1) not in ends and squashed_by(run_data, file, compare.left) == "sigmoid"
        if plain or (squashed and of_calls(run_data, file, compare.left)):
            where = place(file, compare.lineno)
            says = Text(
                "{where} 用 {code} 判定类别，而 {loss} 训练网络给出 0 和 1：两类之间的界限是 0.5，不是 0",
                "{where} takes the class by {code}, and {loss} teaches the network to give 0 and 1: half way between the two is "
                "0.5, and not 0",
                where=at(where),
                code=ast.unparse(compare),
                loss=losses[0].name,
            )
            advice = Text(
                "把网络的输出本身与 0.5 比较；二分类更宜用 BCEWithLogitsLoss，此时与 0 比较。",
                "Compare the output itself with 0.5; or use BCEWithLogitsLoss, which suits two classes, and 0.",
            )
            return says, advice, where, *(one.place for one in (*run_data.losses, *losses) if one.place)
    return None


def _of_two_ends(targets: Fact) -> bool:
    """Whether the targets are 0 and 1 alone."""
    return (targets.min, targets.max, targets.distinct) == (0, 1, 2)


def _is_score(run_data: RunData, file: str, node: ast.expr, depth: int) -> bool:
    """Whether it is a call of the network that is trained, in another form at most: at once, by one name, or as the one value
    that a function of the script returns."""
    if depth > _DEEPEST:
        return False
    if isinstance(node, ast.Subscript):
        return _is_score(run_data, file, node.value, depth)
    if isinstance(node, ast.Name):
        stores = [one for one in run_data.source.nodes(file, ast.Assign) if node.id in bound_names(one.targets)]
        plain = [one.value for one in stores if isinstance(one.targets[0], ast.Name)]
        return len(plain) == len(stores) == 1 and _is_score(run_data, file, plain[0], depth + 1)
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and called_name(node) in FORMS:
        return _is_score(run_data, file, node.func.value, depth)
    if called_name(node) == "predict" and isinstance(node.func, ast.Attribute):
        return _is_model(run_data, file, node.func.value)
    return _is_network(run_data, file, node.func) or _returned(run_data, node, depth + 1)


def _is_model(run_data: RunData, file: str, held: ast.expr) -> bool:
    """Whether a name holds a ``Model`` of the trained network, which predicts what that gives."""
    made = run_data.source.only_value(file, held.id) if isinstance(held, ast.Name) else None
    if not isinstance(made, ast.Call) or called_name(made) != "Model" or not made.args:
        return False
    return _is_network(run_data, file, made.args[0])


def _is_network(run_data: RunData, file: str, called: ast.expr) -> bool:
    """Whether a name or an attribute holds what is made of the trained network's class, without a sigmoid of its own."""
    classes = {one.cells[0].class_ for one in run_data.networks if one.role == "train" and one.cells}
    name = ast.unparse(called)
    made = [
        one.value
        for one in run_data.source.nodes(file, ast.Assign)
        if any(ast.unparse(target) == name for target in one.targets)
    ]
    return bool(made) and all(
        isinstance(one, ast.Call) and called_name(one) in classes and "igmoid" not in ast.unparse(one) for one in made
    )


def _returned(run_data: RunData, call: ast.Call, depth: int) -> bool:
    made = run_data.source.functions(called_name(call))
    if len(made) != 1:
        return False
    file, function = made[0]
    given = [one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value is not None]
    return len(given) == 1 and _is_score(run_data, file, given[0], depth)
