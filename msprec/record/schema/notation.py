"""The notation of the schema: nested dictionaries of keys, each with its type and one line of meaning.

A type is a function that reads a JSON value and gives None for one of another type, a dictionary (an object of known
keys), a list of one type (a list of such values), a `Map` (free keys), or `Choice` (a text out of several).
"""

import math
from typing import Any


class Key:
    """One key of an object: the type of its value and what it means."""

    __slots__ = ("meaning", "type")

    def __init__(self, type: Any, meaning: str):
        self.type, self.meaning = type, meaning

    def __getitem__(self, index: int) -> Any:
        """The type of a list's entries (index 0)."""
        return self.type[index]


def key(type: Any, meaning: str = "") -> Key:
    return Key(type, meaning)


class Shape(dict):
    """An object that stands in several places: described once, under its name."""

    def __init__(self, name: str, keys: dict):
        super().__init__(keys)
        self.name = name


class Map:
    """A JSON object with free keys and values of one type."""

    def __init__(self, type: Any):
        self.type = type


class Choice:
    """A text out of ``words``; ``more``: others may stand there too."""

    def __init__(self, *words: str, more: bool = False):
        self.words, self.more = words, more

    def __call__(self, value: Any) -> Any:
        return text(value)


def number(value: Any) -> Any:
    """A number, also where it is written as "nan" or "inf"; one too large for a float is infinite."""
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return value


def numeric_setting(value: Any) -> Any:
    """A setting, of which a check reads numbers only; texts may be written too."""
    return number(value)


def finite(value: Any) -> Any:
    """A finite number."""
    value = number(value)
    return value if value is not None and math.isfinite(value) else None


def count(value: Any) -> Any:
    """A count: a whole number that is not negative."""
    value = finite(value)
    return int(value) if value is not None and value >= 0 else None


def text(value: Any) -> Any:
    """A text."""
    return value if isinstance(value, str) else None


def flag(value: Any) -> Any:
    """True or false."""
    return value if isinstance(value, bool) else None


def anything(value: Any) -> Any:
    """A JSON value of any type."""
    return value


def words(value: Any) -> str:
    """A text that is only shown."""
    return value if isinstance(value, str) else "" if value is None else repr(value)


PLACE = Shape(
    "place",
    {
        "file": key(text, "path of the source file, relative to the run's working directory where it lies below it"),
        "line": key(count, "line in the file, from 1"),
    },
)
