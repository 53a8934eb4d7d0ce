"""Arithmetic on abstract numbers, with what it reveals: clipping by hand, unscaling, a penalty in a loss."""

import contextlib
from typing import Any, Optional

from msprec.source.flow.abstract_values import (
    GRADIENT,
    NORM,
    PLAIN,
    SCALE,
    ZERO,
    Note,
    Num,
    either,
    join,
    plus,
    times,
)
from msprec.source.interpreter import Place

#: Constants up to this size are guards against a division by zero, not terms of a sum.
_GUARD = 1e-2


def multiply(one: Num, other: Num, divides: bool = False) -> Num:
    """The product, or the quotient, without what it does to gradients (see `touched`)."""
    sign = -1.0 if divides else 1.0
    degrees = plus(one.degrees, other.degrees, sign)
    notes = one.notes | other.notes
    value = _value(one, other, divides)
    factor = _factor(one, other, divides)
    kind, bound = _product_kind(one, other, divides), one.bound or other.bound
    if kind == GRADIENT and NORM in (one.kind, other.kind):
        # the coefficient of a clipping counts as a pure number, as that of the library's own functions does
        gradient = one if one.kind == GRADIENT else other
        coefficient = other if gradient is one else one
        if coefficient.bound is not None:
            return gradient.but(value=None, notes=notes)
    return Num(degrees, kind, value, factor, bound, notes)


def _product_kind(one: Num, other: Num, divides: bool) -> str:
    kinds = {one.kind, other.kind}
    if one.kind == GRADIENT and other.kind == GRADIENT:
        return NORM
    if GRADIENT in kinds:
        return GRADIENT if not divides or one.kind == GRADIENT else NORM
    if NORM in kinds:
        return NORM
    if SCALE in kinds:
        return SCALE if (one.constant or one.kind == SCALE) and (other.constant or other.kind == SCALE) else PLAIN
    return PLAIN


def _value(one: Num, other: Num, divides: bool) -> Optional[float]:
    if one.value is None or other.value is None:
        return None
    try:
        return one.value / other.value if divides else one.value * other.value
    except (ArithmeticError, TypeError):
        return None


def _factor(one: Num, other: Num, divides: bool) -> float:
    """Constants multiplied into what is no constant: ``loss * 1024.0``."""
    first = 1.0 if one.constant else one.factor
    second = 1.0 if other.constant else other.factor
    if one.constant and not other.constant:
        first = abs(float(one.value)) or 1.0
    if other.constant and not one.constant:
        second = abs(float(other.value)) or 1.0
    try:
        return float(f"{first / second if divides else first * second:.9g}")
    except (ArithmeticError, ValueError):
        return 1.0


def add(one: Num, other: Num, spot: Place, subtracts: bool = False) -> Num:
    """The sum. A gradient or its norm added to something else is noted: it may be a penalty."""
    notes = one.notes | other.notes
    if one.constant and other.constant:
        value = one.value - other.value if subtracts else one.value + other.value
        return Num(either(one.degrees, other.degrees), PLAIN, value)
    for number, constant in ((one, other), (other, one)):
        if constant.constant and constant.kind == PLAIN:
            if abs(float(constant.value)) <= _GUARD or number.kind != NORM:
                return number.but(value=None, notes=notes)
            return _mixed(number, ZERO, notes, spot, 1.0)
    if one.kind in (NORM, GRADIENT) and other.kind == one.kind:
        return join(one, other).but(notes=notes, value=None)
    if one.kind == GRADIENT:  # weight decay added to gradients
        return one.but(notes=notes, value=None)
    if other.kind == GRADIENT and one.value == 0:
        return other.but(notes=notes, value=None)
    if NORM in (one.kind, other.kind):
        norm, rest = (one, other) if one.kind == NORM else (other, one)
        mixed = _mixed(norm, rest.degrees, notes, spot, rest.factor)
        return mixed.but(degrees=rest.degrees, kind=PLAIN, factor=rest.factor)
    if (one.notes and not other.notes) or (other.notes and not one.notes):
        return Num(either(one.degrees, other.degrees), PLAIN, None, _one_factor(one, other), None, notes)
    return join(one, other).but(kind=PLAIN if SCALE not in (one.kind, other.kind) else SCALE, value=None, notes=notes)


def _one_factor(one: Num, other: Num) -> float:
    return one.factor if one.factor == other.factor else min(one.factor, other.factor)


def _mixed(norm: Num, rest: Optional[frozenset], notes: frozenset, spot: Place, factor: float) -> Num:
    """A value made from gradients meets one that is not: their degrees, and the constants they carry, have to be equal."""
    note = Note(spot, plus(norm.degrees, rest, -1.0), norm.factor / factor if factor else norm.factor)
    return norm.but(value=None, notes=notes | {note})


def power(number: Num, exponent: Any) -> Num:
    if not isinstance(exponent, (int, float)) or isinstance(exponent, bool):
        return number.but(value=None, kind=NORM if number.kind == GRADIENT else number.kind)
    value = None
    if number.value is not None:
        try:
            value = number.value**exponent
        except (ArithmeticError, TypeError):
            value = None
        value = None if isinstance(value, complex) else value
    kind = NORM if number.kind == GRADIENT and exponent != 1 else number.kind
    factor = 1.0
    with contextlib.suppress(ArithmeticError):
        factor = number.factor**exponent
    return number.but(degrees=times(number.degrees, exponent), kind=kind, value=value, factor=float(factor))


def norm(number: Num, exponent: float = 1.0) -> Num:
    """The norm, absolute value or the like: non-linear, of the same degree."""
    return power(number, exponent).but(kind=NORM if number.kind in (GRADIENT, NORM) else number.kind)


def bounded(numbers: list) -> Num:
    """min, max or clip of a norm with constants: from here on it limits; the degrees that it was compared in are kept."""
    norms = [number for number in numbers if number.kind == NORM]
    if not norms:
        found = numbers[0]
        for number in numbers[1:]:
            found = join(found, number)
        return found.but(value=None)
    limits = [number for number in numbers if number.kind != NORM]
    degrees = norms[0].degrees
    for limit in limits:
        # a limit that is scaled too (max_norm * scale) is compared in the same unit
        degrees = plus(degrees, limit.degrees, -1.0)
    bound = None if degrees is None else frozenset(abs(degree) for degree in degrees)
    return norms[0].but(
        bound=bound if bound is not None else frozenset([float("nan")]), degrees=norms[0].degrees, value=None
    )
