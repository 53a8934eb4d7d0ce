"""What the values of a training step are to the loss scale: a calculus of its powers, like that of physical units.

A loss multiplied by the scale has degree 1, its gradients have degree 1, and dividing them by the scale brings them back
to degree 0. The norm of a gradient has the gradient's degree, its square twice that. Where the branches of a script
disagree a value has several degrees; where nothing is known its degrees are None.

A scale that is a plain number in the source (``loss * 1024.0``) is no unit; it is kept as ``factor`` instead.
"""

from typing import Any, NamedTuple, Optional

from msprec.source.interpreter import Class, Place

ZERO = frozenset([0.0])

PLAIN, GRADIENT, NORM, SCALE = "plain", "gradient", "norm", "scale"


class Note(NamedTuple):
    """A gradient that went into a loss: where, and by which degrees and which constant it exceeds what it was combined with."""

    spot: Place
    degrees: Optional[frozenset]
    factor: float = 1.0


class Num:
    """A number, a tensor, or a tuple of gradients.

    ``kind``: plain; gradient (as a gradient function gave it, linear operations included); norm (made from gradients by
    a non-linear operation); scale (the loss scale, or its inverse). ``value``: the number, where it is a constant.
    ``bound``: of a norm that was limited (``min(max_norm / norm, 1)``), the degrees that the limit was compared with.
    ``notes``: gradients that are part of the value (a gradient penalty in a loss).
    """

    __slots__ = ("bound", "degrees", "factor", "kind", "notes", "value")

    def __init__(self, degrees=ZERO, kind=PLAIN, value=None, factor=1.0, bound=None, notes=frozenset()):
        self.degrees, self.kind, self.value, self.factor = degrees, kind, value, factor
        self.bound, self.notes = bound, notes

    def but(self, **changes) -> "Num":
        """The same with some of it changed."""
        given = {name: getattr(self, name) for name in self.__slots__}
        return Num(**{**given, **changes})

    @property
    def constant(self) -> bool:
        return self.value is not None

    def become(self, other: "Num") -> None:
        """Takes the place of its own value, as a tensor that is changed in place; whoever holds it sees the change."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))

    def absorb(self, other: "Num") -> None:
        """Takes in a value that is assigned into this one (accumulated gradients)."""
        self.become(join(self, other) if self.kind == GRADIENT or other.kind != GRADIENT else other)
        self.value = None


class Const:
    """None, a truth value or a text."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


class Truth:
    """A comparison whose outcome is not known; ``bound``: degrees of the gradient norm that it compares with a constant."""

    __slots__ = ("bound",)

    def __init__(self, bound: Optional[frozenset] = None):
        self.bound = bound


class Unknown:
    """Anything else: a value from code that was not read. ``name`` is the expression that gave it."""

    __slots__ = ("name",)

    def __init__(self, name: str = ""):
        self.name = name


class Tup:
    """A tuple or a list."""

    __slots__ = ("parts",)

    def __init__(self, parts: list):
        self.parts = parts


class Mapping:
    """A dictionary with constant keys."""

    __slots__ = ("parts",)

    def __init__(self, parts: dict):
        self.parts = parts


class Obj:
    """An instance of a class of the project; ``base``: the nearest base of a library."""

    __slots__ = ("attributes", "base", "cls")

    def __init__(self, cls: Class, base: str):
        self.cls, self.base, self.attributes = cls, base, {}


class Lib:
    """A function or class of a library by its public name; a module, too."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name


class LibObj:
    """An instance of a library's class with the arguments it was made with; ``functions``: registered with it."""

    __slots__ = ("args", "functions", "keywords", "name")

    def __init__(self, name: str, args: list, keywords: dict):
        self.name, self.args, self.keywords, self.functions = name, args, keywords, []

    def argument(self, name: str, position: int) -> Any:
        """The argument of that name or at that position; None where it was not given."""
        if name in self.keywords:
            return self.keywords[name]
        return self.args[position] if position < len(self.args) else None


class MethodOfValue:
    """A method of a value that is no object of the project: ``grads.clip``, ``scaler.unscale``."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str):
        self.owner, self.name = owner, name


class Partial:
    """A callable with some of its arguments bound."""

    __slots__ = ("args", "function", "keywords")

    def __init__(self, function: Any, args: list, keywords: dict):
        self.function, self.args, self.keywords = function, args, keywords


class GradientOf:
    """The gradient function of a callable. ``gives``: gradients, or value and gradients; ``sens``: its last argument is
    the sensitivity; ``aux``: only the first output is differentiated."""

    __slots__ = ("aux", "function", "gives", "sens")

    def __init__(self, function: Any, gives: str = "gradients", aux: bool = False, sens: bool = False):
        self.function, self.gives, self.aux, self.sens = function, gives, aux, sens


class OneOf:
    """One of several callables or objects, according to conditions that are not known."""

    __slots__ = ("parts",)

    def __init__(self, parts: list):
        self.parts = parts


# --- calculus


def plus(one: Optional[frozenset], other: Optional[frozenset], sign: float = 1.0) -> Optional[frozenset]:
    """The degrees of a product (sign 1) or quotient (sign -1)."""
    if one is None or other is None:
        return None
    return frozenset(round(a + sign * b, 6) for a in one for b in other)


def times(degrees: Optional[frozenset], power: float) -> Optional[frozenset]:
    """The degrees of a power."""
    return None if degrees is None else frozenset(round(a * power, 6) for a in degrees)


def either(one: Optional[frozenset], other: Optional[frozenset]) -> Optional[frozenset]:
    return None if one is None or other is None else one | other


_STRONGEST = {SCALE: 0, PLAIN: 1, NORM: 2, GRADIENT: 3}


def join(one: Num, other: Num) -> Num:
    """What two branches, or two elements of a tuple, have in common."""
    if one is other:
        return one
    if one.value == 0:  # zero has any degree: zeros that gradients are added to, the sensitivity of outputs left out
        return other
    if other.value == 0:
        return one
    kind = max(one.kind, other.kind, key=_STRONGEST.__getitem__)
    value = one.value if one.value == other.value else None
    bound = either(one.bound, other.bound) if one.bound and other.bound else one.bound or other.bound
    factor = one.factor if one.factor == other.factor else max(one.factor, other.factor)
    return Num(either(one.degrees, other.degrees), kind, value, factor, bound, one.notes | other.notes)


def joined(values: list) -> Any:
    """Several abstract values as one."""
    values = [value for value in values if value is not None]
    if not values:
        return Const(None)
    first = values[0]
    if all(value is first for value in values):
        return first
    if all(isinstance(value, Num) for value in values):
        for value in values[1:]:
            first = join(first, value)
        return first
    if all(isinstance(value, Tup) for value in values) and len({len(value.parts) for value in values}) == 1:
        return Tup([joined([value.parts[n] for value in values]) for n in range(len(first.parts))])
    if all(isinstance(value, Const) for value in values):
        return first if all(value.value == first.value for value in values) else Unknown()
    telling = [value for value in values if not isinstance(value, (Unknown, Const, Truth))]
    if not telling:
        return next((value for value in values if isinstance(value, Truth)), Unknown())
    if len(telling) == 1:
        return telling[0]
    if all(isinstance(value, Num) for value in telling):
        return joined(telling)
    return OneOf(telling)


def as_num(value: Any) -> Optional[Num]:
    """The value as one Num: a tuple of gradients is a gradient; None for what is no number."""
    if isinstance(value, Num):
        return value
    if isinstance(value, (Tup, OneOf)):
        found = [part for part in map(as_num, value.parts) if part is not None]
        return joined(found) if found else None
    if isinstance(value, Mapping):
        return as_num(Tup(list(value.parts.values())))
    return None


def holds_gradient(value: Any) -> bool:
    number = as_num(value)
    return number is not None and number.kind == GRADIENT
