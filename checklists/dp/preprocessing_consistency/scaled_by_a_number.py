"""Inputs outside training that are those of training times a number that the code divides or multiplies by (dp.02)."""

import ast

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import plain_number

#: Ratio from which it is no matter of samples; how far ratios of deviation and of both ends may lie apart, and from the number.
_LEAST, _NEAR = 2.0, 0.1


def scaled_by_a_number(run_data: RunData, train: Fact, other: Fact) -> bool:
    """Whether deviation, least and greatest value differ by one factor of 2 or more (or its inverse), and the code divides or
    multiplies by that number.

    Args:
        run_data: The run.
        train: What the network was called with in training, as in ``inputs.json``.
        other: The same outside training.
    """
    pairs = ((train.std, other.std), (train.min, other.min), (train.max, other.max))
    if any(None in pair or not pair[0] for pair in pairs):
        return False
    ratios = [b / a for a, b in pairs]
    if min(ratios) <= 0 or max(ratios) > (1 + _NEAR) * min(ratios):
        return False
    ratio = max(ratios[0], 1 / ratios[0])
    return ratio >= _LEAST and any(abs(number / ratio - 1) < _NEAR for number in _factors(run_data))


def _factors(run_data: RunData) -> list:
    """The numbers that the code divides or multiplies by, each as one above 1."""
    operations = [
        (file, one)
        for file in run_data.source.trees
        for one in run_data.source.nodes(file, ast.BinOp)
        if isinstance(one.op, (ast.Div, ast.Mult))
    ]
    found = []
    for file, one in operations:
        node = one.right
        value = run_data.source.only_value(file, node.id) if isinstance(node, ast.Name) else node
        number = plain_number(value) if value is not None else None
        if number and number > 0:
            found.append(max(number, 1 / number))
    return found
