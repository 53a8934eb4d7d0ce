"""Sums of gradients divided by a count of batches that is never set back (td.04)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact

#: The first and last of the updates that were looked at lie so many times apart.
_APART = 4


def growing_count(run_data: RunData, updates: list, evidence: list) -> Optional[Finding]:
    """Problem: at each of several updates that were looked at, what the optimizer is given is the sum of its batches divided by
    the number of all batches so far, within td.04.equal; else None.

    Args:
        run_data: The run.
        updates: Those of the updates that their own gradients explain.
        evidence: What shows them.
    """
    updates = sorted(updates, key=lambda one: one.update or 0)
    if len(updates) < 2 or (updates[-1].update or 0) < _APART * (updates[0].update or 1):
        return None
    near = run_data.limit("td.04.equal")
    if any(abs(one.factor * (one.parts or 1) * (one.update or 1) - 1) > near for one in updates):
        return None
    divided = _divided(run_data)
    where = [one for one in (*divided, run_data.probes.gradients.place) if one]
    return problem(
        Text(
            "优化器得到的是累积的梯度除以到此为止的全部 batch 数：第 {first} 次更新时为 1/{few}，第 {last} 次时为 1/{many}，"
            "更新越来越小（{where}）。计数没有随累积的梯度一起清零。",
            "The optimizer is given the sums of gradients divided by the number of all batches so far, 1/{few} at update "
            "{first} and 1/{many} at update {last}, so that updates grow ever smaller ({where}): the count is not set back "
            "with the sums.",
            first=updates[0].update,
            last=updates[-1].update,
            few=round(1 / updates[0].factor),
            many=round(1 / updates[-1].factor),
            where=at(where[0]) if where else "",
        ),
        Text(
            "每次更新后把计数也置零，或除以固定的累积次数。",
            "Set the count to zero after each update, or divide by the fixed number.",
        ),
        [*evidence, run_data.code_at(divided, Text("计数与除法", "The count and the division"))],
        where,
    )


def _divided(run_data: RunData) -> list:
    """Where something is divided by a name or attribute that is counted up, then where that is, and where sums are cleared in the
    class around."""
    found: list[Fact] = []
    for file in run_data.source.trees:
        counts = [one for one in run_data.source.nodes(file, ast.AugAssign) if isinstance(one.op, ast.Add)]
        counted = {ast.unparse(one.target): one.lineno for one in counts if isinstance(one.value, ast.Constant)}
        for node in run_data.source.nodes(file, ast.BinOp) if counted else ():
            line = counted.get(ast.unparse(node.right)) if isinstance(node.op, ast.Div) else None
            if line is None:
                continue
            around = run_data.source.class_around(file, node.lineno)
            calls = [one for one in ast.walk(around) if isinstance(one, ast.Call)] if around is not None else []
            cleared = [
                one.lineno for one in calls if "zeros" in ast.unparse(one) and _method(around, one) != "__init__"
            ]
            found += [place(file, one) for one in dict.fromkeys([node.lineno, line, *cleared])]
    return found[:4]


def _method(around: Optional[ast.ClassDef], node: ast.AST) -> str:
    methods = [one for one in (around.body if around is not None else []) if isinstance(one, ast.FunctionDef)]
    return next((one.name for one in methods if any(inner is node for inner in ast.walk(one))), "")
