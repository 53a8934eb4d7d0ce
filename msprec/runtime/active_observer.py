"""The observer of this process, for those who run the user's cells again and must not be taken for the user."""

from contextlib import contextmanager

_observer = None


def set_current(observer) -> None:
    """Makes ``observer`` the one of this process; ``None``: there is none."""
    global _observer
    _observer = observer


def records() -> bool:
    """Whether what is called now counts as the user's: False inside `unobserved`."""
    return _observer is None or not _observer.busy


@contextmanager
def unobserved():
    """What runs inside is not recorded."""
    if _observer is None:
        yield
        return
    outer, _observer.busy = _observer.busy, True
    try:
        yield
    finally:
        _observer.busy = outer
