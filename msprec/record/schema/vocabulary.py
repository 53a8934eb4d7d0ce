"""The words of the schema: its keys, its events and the texts that it names."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msprec.record.schema import CHECKLIST, COMMON, DUMP_TENSOR, EVENTS, FACTS, GRADIENTS, RUN, SAVED_STEP, STEPS
from msprec.record.schema.notation import Choice, Key, Map


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """All of them, and the names of the facts."""
    whole = (FACTS, RUN, COMMON, EVENTS, STEPS, GRADIENTS, SAVED_STEP, CHECKLIST, DUMP_TENSOR)
    return frozenset(word for shape in whole for word in _words(shape))


def _words(type: Any) -> Iterator[str]:
    if isinstance(type, (Key, Map)):
        yield from _words(type.type)
    elif isinstance(type, list):
        yield from _words(type[0])
    elif isinstance(type, dict):
        for name, inner in type.items():
            yield name
            yield from _words(inner)
    elif isinstance(type, Choice):
        yield from type.words
