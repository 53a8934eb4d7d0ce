"""Trained weights of a loss that nothing holds back: it falls by its weights, whatever is predicted (td.08)."""

import ast
import math
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.module import last_name
from msprec.source.user_code import bound_to, called_name

#: Weights of terms are few; more of one name are those of a layer.
_MOST = 32
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Pow)
_COUNTS = ("log", "sum", "mean", "square", "pow", "abs", "softplus")


def weighted_away(run_data: RunData) -> Optional[Finding]:
    """A problem where all values of a trained parameter grew until its factor ``exp(-p)`` was below td.08.faded of that of the
    start, and the code reads the parameter in such factors alone: the term that makes a large ``p`` cost something is missing."""
    for parameter in run_data.parameters:
        first, last = parameter.initial, parameter.final
        if not parameter.in_optimizer or (parameter.size or _MOST) >= _MOST or None in (first.max, last.min):
            continue
        share = math.exp(min(first.max - last.min, 0.0))
        if share > run_data.limit("td.08.faded"):
            continue
        factors = _factors(run_data, (parameter.name or "").rpartition(".")[2])
        if factors:
            return _finding(run_data, parameter, share, factors)
    return None


def _factors(run_data: RunData, name: str) -> list:
    """The places of ``exp(-name)``, where no other arithmetic reads the name; else none."""
    found = []
    for file in run_data.source.trees:
        for function in run_data.source.nodes(file, ast.FunctionDef):
            inside, counted = _negated_exponents(function), _counted(function)
            for read in _reads(function, name):
                if id(read) in inside:
                    found.append(place(file, read.lineno))
                elif id(read) in counted:
                    return []
    return list(dict.fromkeys(found))


def _reads(function: ast.FunctionDef, name: str) -> Iterator:
    """Where a function reads ``self.name`` or ``name``, also by a name that it gives it."""
    nodes = list(ast.walk(function))
    others = {
        target.id
        for one in nodes
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Name)
        and isinstance(bound_to(one, target.id), (ast.Name, ast.Attribute))
        and last_name(bound_to(one, target.id)) == name
    }
    for one in nodes:
        loaded = isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load)
        if loaded and (last_name(one) == name or (isinstance(one, ast.Name) and one.id in others)):
            yield one


def _negated_exponents(function: ast.FunctionDef) -> set:
    """The nodes within ``exp(-...)``, by identity."""
    calls = [one for one in ast.walk(function) if isinstance(one, ast.Call) and called_name(one) == "exp"]
    given = [one for call in calls for one in call.args if isinstance(one, ast.UnaryOp)]
    return {id(node) for one in given if isinstance(one.op, ast.USub) for node in ast.walk(one)}


def _counted(function: ast.FunctionDef) -> set:
    """The nodes within a sum, a difference, a product, or a call that makes a number of them, by identity."""
    nodes = list(ast.walk(function))
    found = [one for one in nodes if isinstance(one, (ast.BinOp, ast.AugAssign)) and isinstance(one.op, _OPERATORS)]
    called = [one for one in nodes if isinstance(one, ast.Call) and called_name(one) in _COUNTS]
    return {id(node) for one in (*found, *called) for node in ast.walk(one)}


def _finding(run_data: RunData, parameter: Fact, share: float, factors: list) -> Finding:
    return problem(
        Text(
            "loss 的可训练权重 {name} 只以因子 exp(-{name}) 出现，训练中它一直增大，各项的权重降到开头的 {share} 及以下："
            "不必预测得更好，loss 也会下降。",
            "The trained weight {name} of the loss is read in factors exp(-{name}) alone; it grew, and brought the terms down to "
            "{share} of their weight at the start and below: the loss falls without any better prediction.",
            name=parameter.name,
            share=f"{100 * share:.2g} %",
        ),
        Text(
            "加上使权重变小有代价的一项：exp(-s) * loss + s（Kendall、Gal 与 Cipolla 2018），或改用固定的权重。",
            "Add the term that makes a small weight cost something, exp(-s) * loss + s (Kendall, Gal and Cipolla 2018), or give "
            "the terms fixed weights.",
        ),
        [run_data.code_at(factors, Text("权重的使用", "Where the weight is used"))],
        [*factors, parameter.created],
    )
