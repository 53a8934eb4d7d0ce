"""The forward computation of a step that differentiates and updates by itself, found by running it up to its gradient."""

from msprec.locate.replay import ReplayedStep, of_forward, undisturbed, watched
from msprec.locate.trace import Trace, _closure_cell
from msprec.runtime.cells import is_optimizer_class, is_wrapper_class


class _Found(Exception):
    """Ends the step where its gradient would be computed."""

    def __init__(self, function, inputs: tuple) -> None:
        super().__init__()
        self.function, self.inputs = function, inputs


class _Catcher(Trace):
    def run_gradient(self, function, args, kwargs):
        """The first gradient ends the step."""
        holder, grad = _closure_cell(function, ("fn", "fn_")), _closure_cell(function, ("grad_",))
        if holder is None or kwargs:
            return super().run_gradient(function, args, kwargs)
        given = getattr(grad.cell_contents, "sens_param", False) is True if grad is not None else False
        raise _Found(holder.cell_contents, tuple(args[:-1] if given else args))

    def cell_call(self, original, cell, args, kwargs):
        """A training cell of MindSpore's ends the step too: what it differentiates is its network."""
        network, optimizer = getattr(cell, "network", None), getattr(cell, "optimizer", None)
        trains = is_wrapper_class(type(cell)) and is_optimizer_class(type(optimizer))
        if not trains or network is None or kwargs:
            return super().cell_call(original, cell, args, kwargs)
        raise _Found(network, tuple(args))


def with_forward(step: ReplayedStep, weights: list) -> ReplayedStep:
    """The step as one of its forward computation; as it is where that is known already, or not found.

    Args:
        step: A step that may be a function compiled as a whole, or a training cell of the user's.
        weights: Those by which is differentiated.
    """
    if step.forward is not None:
        return step
    catcher = _Catcher(step.cells, step.paths, backward=False)
    with undisturbed(step.parameters, None, None, step.host_random), watched(catcher):
        try:
            step.run(catcher, step.scale)
        except _Found as found:
            return of_forward(found.function, found.inputs, weights, step.roots)
    return step
