"""Whether the ranks of a run are to train one model, and where the code brings their gradients or weights together."""

import ast
import re

from msprec.checklists.common.findings import each_place_once
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, target_names

#: Modes in which each rank holds slices, or shares of the layers.
SLICED = ("semi_auto_parallel", "auto_parallel", "hybrid_parallel")
#: Calls that sum over ranks, or make an object that does.
_REDUCES = re.compile(
    r"^(AllReduce|all_reduce|DistributedGradReducer|reduce_scatter|ReduceScatter|all_gather|AllGather)$"
)


_BY_HAND = ("AllReduce", "all_reduce")
_AVERAGES = re.compile(r"AVG|MEAN|MAX|MIN", re.IGNORECASE)
#: What the number of ranks is called.
_RANKS = re.compile(
    r"(?i)world|ranks?\b|(group|rank|device|dp|parallel)_?(size|num)|num_?(rank|device|shard)|degree|n_?dev|n_?proc"
)
_SCALINGS = (ast.BinOp, ast.AugAssign, ast.Call)


def sums_over_ranks(run_data: RunData) -> bool:
    """Whether the ranks train one model: their gradients were seen to be reduced, or the code sums something over ranks. Not
    where each holds slices."""
    parallel = run_data.run.parallel
    if len(run_data.ranks) < 2 or parallel.mode in SLICED:
        return False
    return bool(parallel.gradients_reduced or run_data.once(reducing_lines))


def undivided_sums(run_data: RunData) -> bool:
    """Whether the code sums over ranks by ``AllReduce`` or ``all_reduce`` alone, and nowhere divides by, or multiplies with, what
    may be the number of ranks."""
    names = [name for name in run_data.source.names_called() if _REDUCES.match(name)]
    sums = [call for _, call in run_data.source.calls_anywhere(names)]
    if not sums or any(called_name(one) not in _BY_HAND or _AVERAGES.search(ast.unparse(one)) for one in sums):
        return False
    return not any(_divides(node) for file in run_data.source.trees for node in run_data.source.nodes(file, *_SCALINGS))


def _divides(node: ast.AST) -> bool:
    quotient = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    if quotient and isinstance(node.left, ast.Call) and isinstance(node.right, ast.Constant):  # type: ignore[attr-defined]
        return True  # what a call gave, by a plain number
    if isinstance(node, ast.Call):
        parts = [*node.args, node.func] if called_name(node) in ("div", "mul", "true_divide", "div_", "mul_") else []
    elif isinstance(node.op, (ast.Div, ast.Mult)):  # type: ignore[attr-defined]
        parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]  # type: ignore[attr-defined]
    else:
        parts = []
    return any(_RANKS.search(ast.unparse(one)) for one in parts)


def reducing_lines(run_data: RunData) -> list:
    """Where the code sums over ranks: these calls, where what they make or their function is called, over three such steps, and
    the numbers by which a condition around such a call holds, as a period of steps."""
    every = [(file, node) for file in run_data.source.trees for node in run_data.source.nodes(file, ast.Call)]
    calls = sums = [one for one in every if _REDUCES.match(called_name(one[1]))]
    for _ in range(3):
        named = {name for file, node in calls for name in _around(run_data, file, node)}
        calls = [*sums, *(one for one in every if called_name(one[1]) in named)]
    found: list[Fact] = []
    for file, node in calls:
        found += [place(file, node.lineno), *_conditions(run_data, file, node)]
    return sorted(each_place_once(found), key=lambda one: (one.file, one.line))


def _around(run_data: RunData, file: str, node: ast.Call) -> list:
    """The name of the function around a call, or that the object which it makes is given."""
    function = run_data.source.function_around(file, node.lineno)
    if function is not None and function.name not in ("__init__", "construct", "main"):
        return [function.name]
    made = [one for one in run_data.source.nodes_at(file, node.lineno, ast.Assign) if one.value is node]
    return [name for one in made for target in one.targets for name in _last_names(target)]


def _last_names(target: ast.expr) -> list:
    return [target.attr] if isinstance(target, ast.Attribute) else target_names(target)


def _conditions(run_data: RunData, file: str, node: ast.Call) -> list:
    """Where the names were assigned that a condition around a call compares."""
    tests = [one.test for one in run_data.source.enclosing(file, node.lineno) if isinstance(one, (ast.If, ast.While))]
    names = {name for test in tests for name in target_names(test)}
    return [
        place(file, one.lineno)
        for one in run_data.source.nodes(file, ast.Assign)
        if isinstance(one.value, ast.Constant) and names & bound_names(one.targets)
    ]
