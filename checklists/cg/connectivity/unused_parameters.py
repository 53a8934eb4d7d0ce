"""Parameters of a script without cells that are handed to the gradient function and that nothing computes with (cg.03)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import GRADIENTS, assignments

_HOLDS = (ast.List, ast.Tuple)


def judge_unused_parameters(run_data: RunData) -> Optional[Finding]:
    """A problem where some of the names that gradients are computed by stand nowhere else but where they are made, while others
    of them are computed with; each is given a value once."""
    for file in run_data.source.trees:
        tuples = list(_tuples(run_data, file))
        reads, made = (_reads(run_data, file), _made(run_data, file)) if tuples else ({}, {})
        for names in tuples:
            if any(len(made.get(name, [])) != 1 for name in names):
                continue
            unused = [name for name in names if not reads.get(name)]
            if unused and len(unused) < len(names):
                return _finding(run_data, file, unused, reads, made)
    return None


def _tuples(run_data: RunData, file: str) -> Iterator[list]:
    """The names of each ``ParameterTuple``, or list of weights, that gradients are computed by."""
    given = [call.args[0] for call in run_data.source.calls_named(file, ("ParameterTuple",)) if call.args]
    for call in run_data.source.calls_named(file, GRADIENTS):
        for one in call.args[2:3]:
            given.append((run_data.source.only_value(file, one.id) or one) if isinstance(one, ast.Name) else one)
    for one in given:
        if isinstance(one, _HOLDS) and one.elts and all(isinstance(part, ast.Name) for part in one.elts):
            yield [part.id for part in one.elts if isinstance(part, ast.Name)]


def _reads(run_data: RunData, file: str) -> dict:
    """The nodes that read each name, but as an element of a list or tuple."""
    held = {id(one) for node in run_data.source.nodes(file, *_HOLDS) for one in node.elts}
    found: dict = {}
    for node in run_data.source.nodes(file, ast.Name):
        if isinstance(node.ctx, ast.Load) and id(node) not in held:
            found.setdefault(node.id, []).append(node)
    return found


def _made(run_data: RunData, file: str) -> dict:
    """The statements that give each name a value."""
    found: dict = {}
    for node, target, _, _ in assignments(run_data.source.nodes(file, ast.Assign)):
        if isinstance(target, ast.Name):
            found.setdefault(target.id, []).append(node)
    return found


def _finding(run_data: RunData, file: str, unused: list, reads: dict, made: dict) -> Finding:
    statements = [made[name][0] for name in unused]
    # made in one statement, as a weight and its bias are: where the one is computed with the other is missing
    partners = [name for name, nodes in made.items() if nodes[0] in statements and name not in unused]
    used = [place(file, node.lineno) for name in partners for node in reads.get(name, [])[:1]]
    places = [*used, *(place(file, one.lineno) for one in statements)]
    return problem(
        Text(
            "参数 {names}（{where}）交给了求导函数，而没有任何一行用它们计算：它们不影响 loss，也不会学习。",
            "The parameters {names} ({where}) are handed to the gradient function, and no line computes with them: they have no "
            "part in the loss and do not learn.",
            names=listed(unused),
            where=at(place(file, statements[0].lineno)),
        ),
        Text(
            "在前向计算中使用它们（如在矩阵乘之后加上偏置），或把它们删去。",
            "Compute with them (a bias is added after the product), or leave them out.",
        ),
        [run_data.code_at(places, Text("参数与其所在的计算", "The parameters, and where they belong"))],
        places,
    )
