"""Outputs that a script compares with a number at the end of their range, so that the result is always the same (ds.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name

_ORDERS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)


def always_alike(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the class is taken by ``output > 0`` of a network that ends in a sigmoid, or ``output > 1``: what lies between 0 and
    1 is always on one side of either."""
    ends = [one.output for one in run_data.probes.losses if (one.output.low, one.output.high) == (0, 1)]
    if len(ends) != len(run_data.probes.losses) or not ends:
        return None
    for file in run_data.source.trees:
        for compare in run_data.source.nodes(file, ast.Compare):
            if not _beside_ends(compare) or run_data.source.nodes_at(file, compare.lineno, ast.Assert):
                continue
            if _is_output(run_data, file, compare.left, ends[0]):
                where = place(file, compare.lineno)
                says = Text(
                    "{where} 用 {code} 判定类别，而网络以 {operator} 结尾，输出总在 0 与 1 之间：结果与网络的输出无关，永远相同",
                    "{where} takes the class by {code}, and the network ends in {operator}, which gives values between 0 and 1: "
                    "the result is always the same",
                    where=at(where),
                    code=ast.unparse(compare),
                    operator=ends[0].operator,
                )
                advice = Text(
                    "把概率与 0.5 比较；0 是 logits 的界限。",
                    "Compare probabilities with 0.5; 0 is the bound of logits.",
                )
                return says, advice, where
    return None


def _beside_ends(compare: ast.Compare) -> bool:
    bound = compare.comparators[0] if len(compare.ops) == 1 else None
    plain = isinstance(bound, ast.Constant) and not isinstance(bound.value, bool) and bound.value in (0, 1)
    return plain and isinstance(compare.ops[0], _ORDERS)


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
