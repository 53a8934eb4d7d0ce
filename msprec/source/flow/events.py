"""What happens to loss, scale and gradients in a training step, in order."""

from typing import NamedTuple, Optional

from msprec.source.interpreter import Place

#: The kinds of events, in the order of a sound step.
KINDS = ("scale", "gradient", "unscale", "penalty", "clip", "update", "opaque")


#: Ends the condition that a caller who was not read has given a scale instead of its default of 1.
GIVEN = " given other than 1"


class Event(NamedTuple):
    """One of KINDS at a place. ``degrees``: powers of the loss scale in what it acts on (None: not known).

    clip: ``degrees`` are those of the gradients relative to the threshold; ``factor``: the constant they still carry.
    opaque: gradients went into code that was not read (``what``). ``callers``: places of the calls around it, nearest first.
    """

    kind: str
    spot: Place
    degrees: Optional[frozenset]
    what: str = ""
    factor: float = 1.0
    callers: tuple = ()


class ExecutionPath(NamedTuple):
    """One way through the script: the conditions that it assumes, and the events in the order in which they happen."""

    assumed: dict
    events: list
    complete: bool
    why: str = ""
