"""Facts as objects: ``column.nan`` instead of ``column["nan"]``, and never of a wrong type.

A run folder may be old, damaged or written by another hand. `msprec.record.schema` says what is written; whatever is not
of its type there reads as not observed (None, an empty list, an empty Fact). So a check asks for what it needs and
cannot stumble. Python's keywords carry an underscore: ``cell.class_``.
"""

from typing import Any

from msprec.record.schema import PLACE, Key, Map


class Fact:
    """One JSON object of known shape. Missing numbers and texts are None; missing objects are empty and false."""

    __slots__ = ("_read", "_shape", "_value")

    def __init__(self, value: Any, shape: dict):
        self._value = value if isinstance(value, dict) else {}
        self._shape = shape
        self._read: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        key = name[:-1] if name.endswith("_") else name
        if key not in self._shape:
            raise AttributeError(f"the schema has no {key!r} here; it has {', '.join(self._shape)}")
        if key not in self._read:
            self._read[key] = _shaped(self._value.get(key), self._shape[key])
        return self._read[key]

    def __contains__(self, key: str) -> bool:
        """Was the key observed at all (even as null)?"""
        return key in self._value

    def __bool__(self) -> bool:
        return bool(self._value)


def _shaped(value: Any, type: Any) -> Any:
    if isinstance(type, Key):
        type = type.type
    if isinstance(type, dict):
        return Fact(value, type)
    if isinstance(type, Map):
        return _map(value, type.type)
    if isinstance(type, list):
        entries = value if isinstance(value, list) else []
        return [
            _shaped(entry, type[0]) for entry in entries if not isinstance(type[0], dict) or isinstance(entry, dict)
        ]
    return type(value)


def _map(value: Any, type: Any) -> dict:
    read = {str(key): _shaped(entry, type) for key, entry in value.items()} if isinstance(value, dict) else {}
    return {key: entry for key, entry in read.items() if entry is not None}


def place(file: str, line: int) -> Fact:
    """A place in a source file as a fact."""
    return Fact({"file": file, "line": line}, PLACE)
