"""The design that a user declares in ``msprec.toml``: what several items ask to compare the run with."""

from pathlib import Path
from typing import Any

from msprec.references.errors import BadReference

_NAMES = "a list of names, which may hold * and ?"
#: Key, what it has to be, in words, and a test of it.
KEYS = {
    "frozen_parameters": (_NAMES, lambda value: _names(value)),
    "shared_parameters": (
        "a list of groups, each a list of two or more parameter names",
        lambda value: isinstance(value, list) and all(_names(group) and len(group) > 1 for group in value),
    ),
    "layers": ("a list of the classes of the cells, each as often as it is used", lambda value: _names(value)),
    "loss": ("the name of a class or function", lambda value: isinstance(value, str) and bool(value)),
    "shuffle": ("true or false", lambda value: isinstance(value, bool)),
    "batch_size": ("a whole number above 0: samples of all ranks in an update", lambda value: _whole(value)),
    "padding": ("a table of side (left or right), value and length", lambda value: _padding(value)),
}


def read_design(path: str) -> dict:
    """The facts ``design`` of a TOML file: its known keys, and ``file``.

    Raises:
        BadReference: It cannot be read, holds an unknown key, or a value of the wrong kind; in one line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadReference(f"{path}: cannot be read: {error}") from None
    declared = _parsed(path, text)
    for key, value in declared.items():
        if key not in KEYS:
            raise BadReference(f"{path}: there is no key {key!r}; known: {', '.join(KEYS)}")
        words, fits = KEYS[key]
        if not fits(value):
            raise BadReference(f"{path}: {key} has to be {words}")
    return {"file": Path(path).name, **declared}


def _parsed(path: str, text: str) -> dict:
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadReference(f"{path}: is no TOML: {error}") from None


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name for name in value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _padding(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) - {"side", "value", "length"}:
        return False
    number = value.get("value", 0)
    return (
        value.get("side", "left") in ("left", "right")
        and isinstance(number, (int, float))
        and not isinstance(number, bool)
        and _whole(value.get("length", 1))
    )
