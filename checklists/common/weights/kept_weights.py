"""Weights that a script keeps where a metric is worst, as its comparison is the wrong way round (wi.02)."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.training.training_curves import SAVES, kept_value
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

#: Metrics that nobody reads the other way; a "score" may be either.
_HIGHER = re.compile(r"accura|(^|_)acc(_|$)|f1|auc|iou|dice|bleu|rouge|precision|recall|psnr|ssim", re.IGNORECASE)
_LOWER = re.compile(r"loss|error|(^|_)(mae|mse|rmse|mape|ppl|perplexity|wer|cer|fer|eer|fid)(_|$)", re.IGNORECASE)


class _Kept(NamedTuple):
    """The comparison ``says``, at a place, keeps the weights at the worst ``metric``; ``saved``: where they are saved."""

    place: Fact
    says: str
    metric: str
    saved: Fact


def kept_at_worst(run_data: RunData) -> Optional[Finding]:
    """A problem where weights are saved ``if accuracy < best`` with ``best = accuracy`` inside (or the reverse of a loss), by the
    name of the metric or of the function that gives it; None elsewhere."""
    one = next(_found(run_data), None)
    if one is None:
        return None
    return problem(
        Text(
            "保存的不是最好的权重，而是最差的：{says} 时才保存，而 {metric} {better}。",
            "What is kept are not the best weights but the worst: they are saved where {says}, and {better} {metric} is better.",
            says=one.says,
            metric=one.metric,
            better=Text("越高越好", "a higher") if _HIGHER.search(one.metric) else Text("越低越好", "a lower"),
        ),
        Text("把比较反过来。", "Turn the comparison round."),
        [run_data.code(one.place, Text("比较之处", "The comparison"))],
        [one.place, one.saved],
    )


def _found(run_data: RunData) -> Iterator[_Kept]:
    for file, tree in sorted(run_data.source.trees.items()):
        for call, parents in run_data.source.calls_to(file, SAVES):
            for branch in (one for one in parents if isinstance(one, ast.If)):
                kept = _reversed(run_data, branch, tree)
                if kept is not None:
                    yield _Kept(place(file, branch.lineno), kept[0], kept[1], place(file, call.lineno))


def _reversed(run_data: RunData, branch: ast.If, tree: ast.AST) -> Optional[tuple]:
    """``(comparison, metric)`` where the branch keeps the worse of two values of a metric."""
    for test in ast.walk(branch.test):
        value, smaller = kept_value(branch, test) or (None, False)
        metric = _metric(value, tree) or _given_metric(run_data, branch, tree, value) if value else None
        if metric is not None and smaller == bool(_HIGHER.search(metric)):
            return ast.unparse(test), metric
    return None


def _given_metric(run_data: RunData, branch: ast.If, tree: ast.AST, name: str) -> Optional[str]:
    """The metric that the one call of the function around the branch gives as its argument of that name."""
    around = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and branch in ast.walk(one)]
    names = [one.arg for one in around[-1].args.args] if around else []
    if name not in names:
        return None
    position = names.index(name) - (names[0] == "self")
    calls = [one for file in run_data.source.trees for one in run_data.source.nodes(file, ast.Call)]
    given = [one.args[position] for one in calls if called_name(one) == around[-1].name and len(one.args) > position]
    values = [_within(one) for one in given]
    names = [called_name(one) if isinstance(one, ast.Call) else ast.unparse(one) for one in values]
    return _metric(names[0], tree) if len(names) == 1 else None


def better_way(name: str) -> Optional[bool]:
    """Whether more is better of the metric that a name speaks of; None where the name does not tell."""
    higher, lower = bool(_HIGHER.search(name)), bool(_LOWER.search(name))
    return higher if higher != lower else None


def _metric(name: str, tree: ast.AST) -> Optional[str]:
    """The metric that a name speaks of, or else the one call that gives it, or the class of what is called; None where none
    tells, or they tell of both."""
    given = _calls_given(tree, name)
    made = {one for callee in given for one in _calls_given(tree, callee)}
    for words in ([name], sorted(given), sorted(made)):
        told = [one for one in words if better_way(one) is not None]
        if told and len(words) == 1:
            return told[0]
    return None


def _calls_given(tree: ast.AST, name: str) -> set:
    """What the calls are called that a name is given, ``val = float(evaluate(net))``."""
    values = [
        _within(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == name for target in node.targets)
    ]
    return {called_name(one) for one in values if isinstance(one, ast.Call)}


def _within(value: ast.expr) -> ast.expr:
    """What a number is made of: inside ``float(…)``, and in front of ``.asnumpy()``, ``.mean()`` and the like."""
    while isinstance(value, ast.Call):
        if called_name(value) == "float" and len(value.args) == 1:
            value = value.args[0]
        elif (
            isinstance(value.func, ast.Attribute) and value.func.attr in ("asnumpy", "item", "mean") and not value.args
        ):
            value = value.func.value
        else:
            break
    return value
