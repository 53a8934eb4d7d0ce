"""Predictions that are brought back to the unit of the targets with their mean and deviation exchanged (dp.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place

_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


def scaled_back(run_data: RunData) -> Optional[Finding]:
    """A problem where the code standardises by ``(y - mean) / std`` and undoes it by ``p * mean + std``, with the same two
    names."""
    for file in run_data.source.trees:
        pairs = {}
        for node in run_data.source.nodes(file, ast.BinOp):
            made = _standardises(node)
            if made is not None:
                pairs[made] = node.lineno
        for node in run_data.source.nodes(file, ast.BinOp):
            found = next((one for one in _undoes(node) if one in pairs and one[::-1] not in pairs), None)
            if found is not None:
                mean, std = found
                return _finding(run_data, mean, std, [place(file, node.lineno), place(file, pairs[found])])
    return None


def _standardises(node: ast.BinOp) -> Optional[tuple]:
    """``(mean, std)`` of ``(y - mean) / std``; a small constant may be added to the deviation."""
    above, below = node.left, node.right
    if isinstance(below, ast.BinOp) and isinstance(below.op, ast.Add) and isinstance(below.right, ast.Constant):
        below = below.left
    if not (isinstance(node.op, ast.Div) and isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub)):
        return None
    named = isinstance(above.right, _NAMED) and isinstance(below, _NAMED)
    return (ast.unparse(above.right), ast.unparse(below)) if named else None


def _undoes(node: ast.BinOp) -> list:
    """``(factor, added)`` of ``p * factor + added``, for either factor: the mean and the deviation, where they are exchanged."""
    found = []
    for product, added in ((node.left, node.right), (node.right, node.left)):
        plus = isinstance(node.op, ast.Add) and isinstance(added, _NAMED)
        if plus and isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
            found += [(ast.unparse(one), ast.unparse(added)) for one in (product.left, product.right)]
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
