"""The shapes that calls give which lay an array out anew or reduce it along an axis."""

import math
from collections.abc import Sequence
from typing import Optional

_FLAT = ("ravel", "flatten")
_LAID_OUT = ("reshape", "view")
_REDUCED = ("argmax", "argmin", "max", "min", "sum", "mean")

#: Functions and methods whose shape `changed_shape` tells.
SHAPE_CHANGING = (*_FLAT, *_LAID_OUT, *_REDUCED, "squeeze")


def changed_shape(name: str, shape: tuple, numbers: Sequence[int], axis: Optional[int]) -> Optional[tuple]:
    """Of an array of ``shape`` after the function or method ``name`` with these positional numbers (the axis of a reduction
    among them); ``axis``: what was given by name.

    None where the call can not be told, as what a Cell's ``flatten`` keeps of it.
    """
    if name in _LAID_OUT:
        return _laid_out(shape, numbers) if axis is None else None
    if len(numbers) + (axis is not None) > 1:
        return None
    given = numbers[0] if numbers else axis
    if name in _FLAT:
        return None if given is not None else (math.prod(shape),)
    if given is None:
        return tuple(size for size in shape if size != 1) if name == "squeeze" else ()
    if not -len(shape) <= given < len(shape):
        return None
    given %= len(shape)
    if name == "squeeze" and shape[given] != 1:
        return None
    return (*shape[:given], *shape[given + 1 :])


def _laid_out(shape: tuple, sizes: Sequence[int]) -> Optional[tuple]:
    if not sizes or list(sizes).count(-1) > 1 or any(size == 0 or size < -1 for size in sizes):
        return None
    known, elements = math.prod(size for size in sizes if size != -1), math.prod(shape)
    whole = elements % known == 0 if -1 in sizes else elements == known
    return tuple(elements // known if size == -1 else size for size in sizes) if whole else None
