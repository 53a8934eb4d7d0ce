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
