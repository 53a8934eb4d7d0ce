"""Inputs outside training that are those of training times a number that the code divides by (dp.02)."""

import ast
from collections.abc import Iterator

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import plain_number

#: Ratio from which it is no matter of samples; how far ratios of deviation and of both ends may lie apart, and from the number.
_LEAST, _NEAR = 2.0, 0.1


def scaled_by_a_number(run_data: RunData, train: Fact, other: Fact) -> bool:
    """Whether deviation, least and greatest value are larger by one factor of 2 or more, and the code divides by that number:
    what was divided in training was not outside it. Noise that is drawn narrower there is smaller.

    Args:
        run_data: The run.
        train: What the network was called with in training, as in ``inputs.json``.
        other: The same outside training.
    """
    pairs = ((train.std, other.std), (train.min, other.min), (train.max, other.max))
    if any(None in pair or not pair[0] for pair in pairs):
        return False
    ratios = [b / a for a, b in pairs]
    if min(ratios) < _LEAST or max(ratios) > (1 + _NEAR) * min(ratios):
        return False
    return any(abs(number / ratios[0] - 1) < _NEAR for number in _divisors(run_data))


def _divisors(run_data: RunData) -> Iterator[float]:
    """The numbers that the code divides by, as they stand or by a name."""
    for file in run_data.source.trees:
        for one in run_data.source.nodes(file, ast.BinOp):
            value = run_data.source.only_value(file, one.right.id) if isinstance(one.right, ast.Name) else one.right
            number = plain_number(value) if value is not None and isinstance(one.op, ast.Div) else None
            if number is not None:
                yield number
