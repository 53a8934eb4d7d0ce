"""A rewritten function computes what the function computes, and every expression of it is seen at its true place."""

import functools
import operator

import pytest

from msprec.locate.instrument import rewrite

BINARY = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv, "Pow": operator.pow}


class Seen:
    """Runs everything as it is and remembers the expressions."""

    def __init__(self) -> None:
        self.codes, self.places = [], []

    def _note(self, expression) -> None:
        self.codes.append(expression.code)
        self.places.append((expression.line, expression.column))

    def call(self, expression, function, *args, **kwargs):
        self._note(expression)
        return function(*args, **kwargs)

    def method(self, expression, owner, name, *args, **kwargs):
        self._note(expression)
        return getattr(owner, name)(*args, **kwargs)

    def binary(self, expression, name, left, right):
        self._note(expression)
        return BINARY[name](left, right)

    inplace = binary

    def unary(self, expression, value):
        self._note(expression)
        return -value

    def item(self, expression, owner, index):
        self._note(expression)
        return owner[index]

    def attribute(self, expression, owner, name):
        self._note(expression)
        return getattr(owner, name)


class Base:
    def double(self, x):
        return x * 2


class Child(Base):
    factor = 3

    def __private(self, x):
        return x + self.factor

    def double(self, x, *rest, scale=1, **named):
        """A docstring."""
        total = super().double(x)
        total += self.__private(x)
        for one in rest:
            total = total + max(one, *rest)
        if named.get("halve"):
            total /= 2
        values = [total, x][0:2]
        return -sum([v * scale for v in values])


def closure(factor, most=4):
    def inner(x, power=2):
        try:
            return min(x**power, factor * most)
        except TypeError:
            return None

    return inner


def decorated(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args) + 1

    return around


@decorated
def plus(a, b):
    return a + b


LAMBDAS = [lambda a: a + 1, lambda b: b * 2, lambda c: (c - 1) * 5]


@pytest.mark.parametrize(
    ("function", "args", "named"),
    [
        (Child.double, (Child(), 4), {}),
        (Child.double, (Child(), 4, 1, 9), {"scale": 2, "halve": True}),
        (closure(7), (3,), {}),
        (closure(7, 100), (3,), {"power": 3}),
        (closure("no"), (3,), {}),
        (plus, (1, 2), {}),
        (plus.__wrapped__, (1, 2), {}),
        *((function, (6,), {}) for function in LAMBDAS),
    ],
)
def test_the_same_result(function, args, named):
    seen = Seen()
    copy = rewrite(function, seen)
    assert copy(*args, **named) == function(*args, **named)
    assert seen.codes


def test_places_are_those_of_the_source():
    seen = Seen()
    rewrite(closure(7), seen)(3)
    first = closure.__code__.co_firstlineno
    assert list(zip(seen.codes, seen.places)) == [
        ("x**power", (first + 3, 24)),
        ("factor * most", (first + 3, 34)),
        ("min(x**power, factor * most)", (first + 3, 20)),
    ]


def test_what_has_no_source_is_left_alone():
    assert rewrite(len, Seen()) is None
    names = {}
    exec("def f(x):\n    return x + 1", names)
    assert rewrite(names["f"], Seen()) is None


def test_lambdas_that_cannot_be_told_apart_are_left_alone_or_right():
    first, second = (lambda a: a + 1), (lambda a: a + 1)
    for function in (first, second):
        copy = rewrite(function, Seen())
        assert copy is None or copy(2) == 3


def test_the_users_function_and_globals_stay_as_they_are():
    before = dict(globals()), Child.double.__code__
    rewrite(Child.double, Seen())(Child(), 1)
    assert (dict(globals()), Child.double.__code__) == before
