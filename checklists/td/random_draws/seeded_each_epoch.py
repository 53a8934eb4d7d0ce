"""A generator that is seeded anew in each epoch, so that samples are varied in the same way each time (td.06)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import plain_arrays
from msprec.checklists.common.script.call_sites import calls_around, in_loop
from msprec.checklists.common.training.generalization_gap import fell_to_nothing, overfits
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, target_names

_GENERATORS = ("default_rng", "RandomState", "Random")
#: Draws of amounts; an order that repeats does little harm.
_AMOUNTS = {
    *("normal", "uniform", "random", "rand", "randn", "randint", "integers", "standard_normal", "random_sample"),
    *("beta", "binomial", "poisson", "laplace", "gauss", "randrange", "triangular"),
}


def seeded_each_epoch(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """A problem where every later pass over plain arrays delivers each sample in the form and the order of the first, the code
    seeds a generator anew in a loop and varies its samples with it, and the training learnt them by heart."""
    later = [
        one for one in dataset.order.passes if one.complete and (one.samples or 0) >= run_data.limit("td.06.samples")
    ][1:]
    alike = [one for one in later if one.same_order_as_first and one.common_share == 1]
    if not plain_arrays(dataset) or len(later) < 2 or len(alike) < len(later):
        return None
    found = next(_seeding(run_data), None)
    if found is None or not (overfits(run_data) or fell_to_nothing(run_data)):
        return None
    where, text = found
    return problem(
        Text(
            "每个 epoch 都重新设置同一个种子（{text}）：后面 {n} 遍的每个样本都与第一遍相同，增强没有变化，而训练已把它们记住。",
            "The same seed is set anew in each epoch ({text}): in {n} later passes every sample is just as in the first, so that "
            "the augmentation never changes, and the training has memorised them.",
            text=text,
            n=len(later),
        ),
        Text(
            "在循环之前设置一次种子，之后一直使用同一个随机数生成器。",
            "Set the seed once, before the loop, and go on drawing from one generator.",
        ),
        [run_data.code_at([where], Text("设置种子之处", "Where the seed is set"))],
        [where],
    )


def _seeding(run_data: RunData) -> Iterator[tuple]:
    """``(place, text)`` of what seeds in a loop a generator that samples are varied with."""
    for file in sorted(run_data.source.trees):
        for call in run_data.source.nodes(file, ast.Call):
            generator, where = _seeded(run_data, file, call), place(file, call.lineno)
            if generator and _in_a_loop(run_data, where) and _varies_samples(run_data, file, generator):
                yield where, ast.unparse(call)


def _seeded(run_data: RunData, file: str, call: ast.Call) -> str:
    """What is seeded, ``self.rng`` or ``np.random``; empty of any other call, and of a seed that a loop counts."""
    if not call.args or _changes(run_data, file, call):
        return ""
    if called_name(call) == "seed" and isinstance(call.func, ast.Attribute):
        return ast.unparse(call.func.value)
    if called_name(call) in _GENERATORS:
        made = [one for one in run_data.source.nodes_at(file, call.lineno, ast.Assign) if one.value is call]
        return ast.unparse(made[0].targets[0]) if made else ""
    return ""


def _changes(run_data: RunData, file: str, call: ast.Call) -> bool:
    """Whether the seed is made of what a loop counts, or of an argument of the function."""
    around = run_data.source.enclosing(file, call.lineno)
    counted = {name for one in around if isinstance(one, ast.For) for name in target_names(one.target)}
    function = run_data.source.function_around(file, call.lineno)
    given = {one.arg for one in function.args.args} - {"self"} if function is not None else set()
    names = {one.id for argument in call.args for one in ast.walk(argument) if isinstance(one, ast.Name)}
    return bool(names & (counted | given))


def _in_a_loop(run_data: RunData, where: Fact) -> bool:
    """Whether a loop of the script comes to a line, at once or by the function around it."""
    return any(in_loop(run_data, one) for one in (where, *calls_around(run_data, where)))


def _varies_samples(run_data: RunData, file: str, generator: str) -> bool:
    """Whether an amount is drawn from it in a function or a loop, or it is handed on together with an element of an array."""
    for call in run_data.source.nodes(file, ast.Call):
        drawn = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == generator
        if drawn and called_name(call) in _AMOUNTS and _in_a_loop(run_data, place(file, call.lineno)):
            return True
        given = [ast.unparse(one) for one in call.args]
        if generator in given and any(isinstance(one, ast.Subscript) for one in call.args):
            return True
    return False
