"""What lower packages need and higher ones have: handed in by name at start-up, so that imports run one way."""

from typing import Callable

_providers: dict = {}


def provide(name: str, provider: Callable) -> None:
    """Hands in ``provider``, which gives ``name`` when it is called, at its first use."""
    _providers[name] = provider


def provided(name: str):
    """What was handed in as ``name``. Raises LookupError where nothing was."""
    if name not in _providers:
        raise LookupError(f"nothing provides {name!r}")
    return _providers[name]()
