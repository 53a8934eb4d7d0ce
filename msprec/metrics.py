"""Metrics that a script tells msprec itself: `log_metric`. Neither MindSpore nor NumPy is imported here."""

import sys
from typing import Any, Callable, Optional

_takers: list[Callable] = []


def log_metric(name: str, value: Any, step: Optional[int] = None) -> None:
    """Tells msprec a metric that was computed on data which no training step is fed with: a validation loss or score.

    Under ``msprec run`` it becomes an evaluation of the run (``evaluation.json``, ``via`` "log_metric"), and the judgement on
    the number of epochs (hp.02) rests on it as on what ``Model.eval`` gives, where the name tells which way is better:
    ``val_loss``, ``mae``, ``accuracy``, ``top1``, ``f1``, ``bleu`` and the like. A name that holds ``train`` is recorded as an
    event and taken for no validation. Where the monitors or `msprec.watch` record without ``msprec run``, it becomes an event
    ``metric`` in ``rank_N/events.jsonl``. Where nothing records, it checks its arguments and does nothing.

    Args:
        name: The metric's name, the same at each evaluation.
        value: One number: an int or float, a NumPy scalar, or an array or tensor with one element. A tensor is read from its
            device, where something records.
        step: After how many training steps it was computed; None: those that have run so far.

    Raises:
        TypeError: ``name`` is no string, ``step`` no int, or ``value`` no number.
        ValueError: ``name`` is empty, ``step`` negative, or ``value`` an array or tensor with other than one element.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, not {type(name).__name__}")
    if step is not None and (isinstance(step, bool) or not isinstance(step, int)):
        raise TypeError(f"step must be an int or None, not {type(step).__name__}")
    if not name or (step is not None and step < 0):
        raise ValueError("name must not be empty" if not name else f"step must not be negative: {step}")
    _check_number(value)
    for taker in tuple(_takers):
        if taker(name, value, step):
            return
    # without the module nothing records
    recording = sys.modules.get("msprec.record.step_recorder")
    for recorder in recording.open_recorders() if recording is not None else ():
        recorder.guard("log_metric", _write, recorder, name, value, step)


def _check_number(value: Any) -> None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return
    size = getattr(value, "size", None)
    if not hasattr(value, "dtype") or not isinstance(size, int):
        raise TypeError(f"value must be a number, or an array or tensor with one element, not {type(value).__name__}")
    if size != 1:
        raise ValueError(f"value must have one element, not {size}")


def _write(recorder, name: str, value: Any, step: Optional[int]) -> None:
    from msprec.record.step_recorder import to_number

    after = recorder.last_step if step is None else step
    recorder.writer.event("metric", after, name=name, value=float(to_number(value)))


def take(taker: Callable) -> Callable[[], None]:
    """``taker(name, value, step)`` is called with each metric, and says whether it has recorded it. Returns a function that
    ends it."""
    _takers.append(taker)
    return lambda: _takers.remove(taker) if taker in _takers else None
