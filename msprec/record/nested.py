"""What stands in nested values: tuples, lists and dictionaries, as calls take and give them. No MindSpore here."""

from collections.abc import Iterator
from typing import Any


def flatten(value: Any) -> Iterator:
    """What stands in nested tuples, lists and dictionaries, in their order."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from flatten(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from flatten(part)
    else:
        yield value


def tensors_in(value: Any) -> Iterator:
    """The tensors of `flatten`, known by their ``asnumpy``."""
    return (leaf for leaf in flatten(value) if hasattr(leaf, "asnumpy"))


def replaced(value: Any, old: Any, new: Any) -> Any:
    """The nested value with ``new`` wherever ``old`` itself stood; what is no plain tuple, list or dictionary stays whole."""
    if value is old:
        return new
    if isinstance(value, dict):
        return {name: replaced(part, old, new) for name, part in value.items()}
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(replaced(part, old, new) for part in value)
    return value
