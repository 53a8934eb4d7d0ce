"""Predictions that are brought back to the unit of the targets with their mean and deviation exchanged, or twice (dp.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


def scaled_back(run_data: RunData) -> Optional[Finding]:
    """A problem where the code standardises by ``(y - mean) / std`` and undoes it by ``p * mean + std``, with the same two
    names."""
    for file in run_data.source.trees:
        pairs = _pairs(run_data, file)
        for node in run_data.source.nodes(file, ast.BinOp):
            found = next((one for one in _undoes(node) if one in pairs and one[::-1] not in pairs), None)
            if found is not None:
                mean, std = found
                return _finding(run_data, mean, std, [place(file, node.lineno), place(file, pairs[found])])
    return None


def scaled_back_twice(run_data: RunData) -> Optional[Finding]:
    """A problem where ``p * std + mean`` is computed of what has come of the same already: of a name that was given it, or of
    what a function of the script's returns; with the names by which the code standardises, ``(y - mean) / std``."""
    for file in run_data.source.trees:
        pairs = {one[::-1] for one in _pairs(run_data, file)}
        for node in run_data.source.nodes(file, ast.BinOp) if pairs else ():
            for pair, value in _undoes(node).items():
                first = _brought_back(run_data, file, value, pair) if pair in pairs else None
                if first is not None and first is not node:
                    return _twice(run_data, pair, [place(file, node.lineno), place(file, first.lineno)])
    return None


def _pairs(run_data: RunData, file: str) -> dict:
    """The line of each ``(mean, std)`` that a file standardises with."""
    found = {}
    for node in run_data.source.nodes(file, ast.BinOp):
        made = _standardises(node)
        if made is not None:
            found[made] = node.lineno
    return found


def _brought_back(run_data: RunData, file: str, value: Optional[ast.expr], pair: tuple) -> Optional[ast.BinOp]:
    """Where a value was brought back before: a name that is given a value once, or what a function alone returns."""
    if isinstance(value, ast.Name):
        value = run_data.source.only_value(file, value.id)
    if isinstance(value, ast.Call):
        made = run_data.source.functions(called_name(value))
        returned = [one for _, node in made for one in ast.walk(node) if isinstance(one, ast.Return)]
        value = returned[0].value if len(made) == 1 and len(returned) == 1 else None
    return value if isinstance(value, ast.BinOp) and pair in _undoes(value) else None


def _twice(run_data: RunData, pair: tuple, places: list) -> Finding:
    std, mean = pair
    return problem(
        Text(
            "{again} 处把预测乘以 {std} 再加 {mean}，而它在 {first} 处已经这样还原过：量纲被还原了两次。",
            "At {again} values are brought back to their unit by times {std}, plus {mean}, and {first} has done the same to them "
            "already: they are brought back twice.",
            again=at(places[0]),
            first=at(places[1]),
            std=std,
            mean=mean,
        ),
        Text("只还原一次。", "Bring them back once."),
        [run_data.code_at(places, Text("两次还原", "Where they are brought back"))],
        places,
    )


def _standardises(node: ast.BinOp) -> Optional[tuple]:
    """``(mean, std)`` of ``(y - mean) / std``; a small constant may be added to the deviation."""
    above, below = node.left, node.right
    if isinstance(below, ast.BinOp) and isinstance(below.op, ast.Add) and isinstance(below.right, ast.Constant):
        below = below.left
    if not (isinstance(node.op, ast.Div) and isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub)):
        return None
    named = isinstance(above.right, _NAMED) and isinstance(below, _NAMED)
    return (ast.unparse(above.right), ast.unparse(below)) if named else None


def _undoes(node: ast.BinOp) -> dict:
    """``{(factor, added): p}`` of ``p * factor + added``, for either factor: the mean and the deviation, where they are
    exchanged."""
    found = {}
    for product, added in ((node.left, node.right), (node.right, node.left)):
        plus = isinstance(node.op, ast.Add) and isinstance(added, _NAMED)
        if plus and isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
            for factor, other in ((product.left, product.right), (product.right, product.left)):
                found[ast.unparse(factor), ast.unparse(added)] = other
    return found


def _finding(run_data: RunData, mean: str, std: str, places: list) -> Finding:
    return problem(
        Text(
            "{back} 处还原量纲时乘以 {mean}、加上 {std}，而标准化（{made}）减去的是 {mean}、除以的是 {std}：两者写反了。",
            "At {back} values are brought back to their unit by times {mean}, plus {std}, and they were standardised ({made}) by "
            "taking off {mean} and dividing by {std}: the two are exchanged.",
            back=at(places[0]),
            made=at(places[1]),
            mean=mean,
            std=std,
        ),
        Text("还原时乘以 {std}，再加上 {mean}。", "Bring them back by times {std}, plus {mean}.", std=std, mean=mean),
        [run_data.code_at(places, Text("标准化与还原", "Standardising and its reverse"))],
        places,
    )
