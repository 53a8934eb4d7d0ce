"""The gradients of a step, by running its forward and backward pass once more."""

from typing import Callable, Optional

from msprec.locate.replay import ReplayedStep, undisturbed, watched
from msprec.record.step_recorder import process_rank
from msprec.runtime.cells import is_optimizer_class
from msprec.runtime.side_effects import side_effect


class Updated(Exception):
    """Ends a replay where the optimizer would be called."""


class Plain:
    """Takes the place of a `Trace` and watches nothing: functions compiled by ``jit`` run as Python, that is all."""

    cells: tuple = ()

    def __init__(self) -> None:
        self.gradients = self.weights = None

    def cell_call(self, original, cell, args, kwargs):
        """A call of a cell."""
        return original(cell, *args, **kwargs)

    def call_function(self, function, args):
        """Calls ``function``."""
        return function(*args)

    def own(self, function):
        """Nothing is rewritten."""
        return

    def restore_classes(self) -> None:
        """Nothing was changed."""


class GradientCatcher(Plain):
    """Catches what the optimizer would be called with."""

    def cell_call(self, original, cell, args, kwargs):
        """A call of a cell; that of the optimizer ends the replay."""
        if is_optimizer_class(type(cell)) and args:
            self.gradients = args[0]
            raise Updated
        return original(cell, *args, **kwargs)


def unavailable_reason(roots, allowed: bool) -> Optional[str]:
    """Why the steps of ``roots`` are not run again, in words; ``None``: they can be."""
    if not allowed:
        return "in graph mode gradients are read by running a step again, which is not done on this device unless asked"
    if process_rank()[1] > 1:
        return "in graph mode gradients are read by running a step again, which cannot be done by one rank alone"
    found = side_effect(list(roots))
    return f"in graph mode gradients are read by running a step again, and {found} would be seen" if found else None


def replayed_gradients(build: Callable) -> Optional[tuple]:
    """``(gradients, factor)`` of the step that ``build()`` makes, ``factor`` times too large; ``None``: it computes none."""
    step: ReplayedStep = build()
    catcher = GradientCatcher()
    with undisturbed(step.parameters, None, None, step.host_random), watched(catcher):
        try:
            step.run(catcher, step.scale)
        except Updated:
            return catcher.gradients, 1.0
    return (catcher.gradients, step.scale) if catcher.gradients is not None else None
