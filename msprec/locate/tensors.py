"""The tensors in what a call takes or gives, however it is nested."""

from collections.abc import Iterator
from typing import Any


def tensors_in(value: Any) -> Iterator:
    """The tensors in nested tuples, lists and dictionaries, in their order."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors_in(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors_in(part)
    elif hasattr(value, "asnumpy"):
        yield value
