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
    start, and the code reads the parameter in such factors alone, or takes it away beside them: the term that makes a large ``p``
    cost something is missing, or has the wrong sign."""
    for parameter in run_data.parameters:
        first, last = parameter.initial, parameter.final
        if not parameter.in_optimizer or (parameter.size or _MOST) >= _MOST or None in (first.max, last.min):
            continue
        share = math.exp(min(first.max - last.min, 0.0))
        if share > run_data.limit("td.08.faded"):
            continue
        factors, taken_away = _factors(run_data, (parameter.name or "").rpartition(".")[2])
        if factors:
            return _finding(run_data, parameter, share, factors, taken_away)
    return None


def _factors(run_data: RunData, name: str) -> tuple:
    """``(places of exp(-name), whether it is subtracted as well)``, where no other arithmetic reads the name; else no places."""
    found, taken_away = [], False
    for file in run_data.source.trees:
        for function in run_data.source.nodes(file, ast.FunctionDef):
            inside, counted, negative = _negated_exponents(function), _counted(function), _subtracted(function)
            for read in _reads(function, name):
                if id(read) in inside or id(read) in negative:
                    found.append(place(file, read.lineno))
                    taken_away = taken_away or id(read) not in inside
                elif id(read) in counted:
                    return [], False
    return list(dict.fromkeys(found)), taken_away


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


def _subtracted(function: ast.FunctionDef) -> set:
    """The nodes that are taken away from the others of a sum, or a multiple or one element of which is, by identity."""
    found: set = set()
    for one in ast.walk(function):
        if isinstance(one, (ast.Assign, ast.AugAssign, ast.Return)) and one.value is not None:
            taken = isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Sub)
            found |= {id(part) for part, negative in _signed(one.value, taken) if negative}
    return found


def _signed(node: ast.expr, negative: bool) -> Iterator[tuple]:
    """``(part, whether it enters with the other sign)`` of what a node is a sum of: itself, and what is added, multiplied by a
    number, or taken elements of."""
    yield node, negative
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from _signed(node.operand, not negative)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _signed(node.left, negative)
        yield from _signed(node.right, negative != isinstance(node.op, ast.Sub))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for number, other in ((node.left, node.right), (node.right, node.left)):
            value = number.operand if isinstance(number, ast.UnaryOp) else number
            if isinstance(value, ast.Constant):
                yield from _signed(other, negative != isinstance(getattr(number, "op", None), ast.USub))
    elif isinstance(node, ast.Subscript):
        yield from _signed(node.value, negative)
    elif isinstance(node, ast.Call) and called_name(node) in ("sum", "mean"):
        held = [*node.args[:1], *([node.func.value] if isinstance(node.func, ast.Attribute) and not node.args else [])]
        for one in held:
            yield from _signed(one, negative)


def _counted(function: ast.FunctionDef) -> set:
    """The nodes within a sum, a difference, a product, or a call that makes a number of them, by identity."""
    nodes = list(ast.walk(function))
    found = [one for one in nodes if isinstance(one, (ast.BinOp, ast.AugAssign)) and isinstance(one.op, _OPERATORS)]
    called = [one for one in nodes if isinstance(one, ast.Call) and called_name(one) in _COUNTS]
    return {id(node) for one in (*found, *called) for node in ast.walk(one)}


def _finding(run_data: RunData, parameter: Fact, share: float, factors: list, taken_away: bool) -> Finding:
    read = Text("只以因子 exp(-{name}) 出现", "is read in factors exp(-{name}) alone", name=parameter.name)
    if taken_away:
        read = Text(
            "除因子 exp(-{name}) 之外，在 loss 中还被减去（符号反了）",
            "is read in factors exp(-{name}), and is subtracted from the loss beside them, the wrong sign",
            name=parameter.name,
        )
    return problem(
        Text(
            "loss 的可训练权重 {name} {read}，训练中它一直增大，各项的权重降到开头的 {share} 及以下："
            "不必预测得更好，loss 也会下降。",
            "The trained weight {name} of the loss {read}; it grew, and brought the terms down to {share} of their weight at the "
            "start and below: the loss falls without any better prediction.",
            name=parameter.name,
            read=read,
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
