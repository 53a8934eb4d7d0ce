"""A generator that is taught to be recognised: its samples are compared with what the discriminator is taught of them (cg.04)."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.engine.run_data import RunData, place
from msprec.source.module import last_name
from msprec.source.user_code import own_nodes, value_among

_CUTS = ("stop_gradient", "detach")


class _Score(NamedTuple):
    """What a ``judge`` gives is compared with a ``target`` in a line: of samples that another network makes (``made``), as they
    are or cut off from the gradient (``cut``), or of others."""

    line: int
    judge: str
    made: bool
    cut: bool
    target: str


def check_generator_target(run_data: RunData) -> Optional[Wrong]:
    """What is wrong, where one function compares a discriminator's scores of real samples with one target and of made ones with
    another, and a second function, of made samples alone, compares them with the latter, in a run of two optimizers or more;
    else None."""
    if sum(one.used is not False for one in run_data.optimizers) < 2:
        return None
    for file in run_data.source.trees:
        functions = run_data.source.nodes(file, ast.FunctionDef)
        each = [found for one in functions if (found := list(_scores(run_data, file, one)))]
        of_judge = [targets for one in each if (targets := _taught(one)) is not None]
        for scores in each:
            for judge, real, made in of_judge:
                alone = all(one.made and not one.cut and one.judge == judge for one in scores)
                if alone and {one.target for one in scores} == {made} != {real}:
                    return _wrong(run_data, file, scores[0], real, made)
    return None


def _taught(scores: list) -> Optional[tuple]:
    """``(judge, target of real samples, target of made ones)`` of a function that compares both."""
    judges = {one.judge for one in scores}
    real, made = ({one.target for one in scores if one.made is kind} for kind in (False, True))
    return (judges.pop(), real.pop(), made.pop()) if len(judges) == len(real) == len(made) == 1 else None


def _scores(run_data: RunData, file: str, function: ast.FunctionDef) -> Iterator[_Score]:
    """What calls of two arguments or more compare with a target, where the first is what a call gives."""
    nodes = own_nodes(function)
    for call in (one for one in nodes if isinstance(one, ast.Call) and len(one.args) > 1):
        score, target = _given(call.args[0], nodes), call.args[1]
        if not isinstance(score, ast.Call) or len(score.args) != 1:
            continue
        sample, cut = _given(score.args[0], nodes), False
        while isinstance(sample, ast.Call) and last_name(sample) in _CUTS:
            inner = sample.args[0] if sample.args else getattr(sample.func, "value", None)
            sample, cut = _given(inner, nodes), True
        made = isinstance(sample, ast.Call)
        yield _Score(call.lineno, last_name(score), made, cut, _kind(run_data, file, target, nodes))


def _given(node: Optional[ast.AST], nodes: Sequence) -> Optional[ast.AST]:
    """What a name is given in the function, where that is one value; anything else as it is."""
    return (value_among(nodes, node.id) or node) if isinstance(node, ast.Name) else node


def _kind(run_data: RunData, file: str, target: ast.expr, nodes: Sequence) -> str:
    """``ones`` or ``zeros`` of what makes them, or of a name that is given them; else the code."""
    given = _given(target, nodes)
    if isinstance(given, ast.Name):
        given = run_data.source.only_value(file, given.id) or given
    text = ast.unparse(given) if given is not None else ""
    return next((kind for kind in ("zeros", "ones") if kind in text), text)


def _wrong(run_data: RunData, file: str, score: _Score, real: str, made: str) -> Wrong:
    return Wrong(
        Text(
            "生成器的 loss 把 {judge} 对生成样本的打分与 {made} 比较，这正是教给 {judge} 的“假”的目标（真样本的目标是 {real}）："
            "生成器学的是被认出来。",
            "The generator's loss compares what {judge} gives for made samples with {made}, which is what {judge} itself is "
            "taught of them (of real ones {real}): the generator learns to be recognised.",
            judge=score.judge,
            real=real,
            made=made,
        ),
        Text(
            "生成器的 loss 应与真样本的目标（{real}）比较。",
            "Compare them with the target of real samples, {real}, in the generator's loss.",
            real=real,
        ),
        place(file, score.line),
    )
