"""What the gradients that the optimizer was given are the gradients of: the loss, all that its function returns, or the
outputs that it returns before the loss."""

from typing import Optional

import numpy as np

from msprec.locate.replay import ReplayedStep, ms_value_and_grad, undisturbed
from msprec.locate.trace import to_numpy
from msprec.record.nested import tensors_in
from msprec.runtime.scalars import first_scalar
from msprec.runtime.source_locations import place_of_code

#: Gradients agree within this share of their norm, whatever their scale; and do not beyond that one.
_SAME, _OTHER = 1e-3, 0.05


def differentiated(step: ReplayedStep, given, weights: list, initial: Optional[dict]) -> Optional[dict]:
    """The entry ``differentiated`` of ``probes.json``; None where the function gives single numbers alone.

    MindSpore differentiates the sum of all outputs, unless ``has_aux`` says that the first is the loss.

    Args:
        step: The step, of a functional loop.
        given: What the optimizer was given in it.
        weights: The optimizer's.
        initial: ``{id(parameter): array}`` before the step.
    """
    function = step.forward
    if function is None or given is None or not hasattr(function, "__code__"):
        return None
    shapes: list = []
    scores: list = []

    def first(*args):
        return _numbers(function(*args))[0].sum()

    def whole(*args):
        values = _numbers(function(*args))
        shapes[:] = [list(value.shape) for value in values]
        scores[:] = [_are_scores(to_numpy(value)) for value in values[:1]]
        return sum(value.sum() for value in values)

    def loss_alone(*args):
        outputs = function(*args)
        loss = first_scalar(outputs)
        return loss if loss is not None else _numbers(outputs)[0].sum()  # one that was not reduced

    with undisturbed(step.parameters, None, initial, step.host_random):
        of_all = _flat(ms_value_and_grad(whole, weights)(*step.inputs)[1])
        # several losses may well be meant to be added up; what is no single number is no loss
        if len(shapes) < 2 or not any(np.prod(shape) > 1 for shape in shapes):
            return None
        of_loss = _flat(ms_value_and_grad(loss_alone, weights)(*step.inputs)[1])
        of_first = _flat(ms_value_and_grad(first, weights)(*step.inputs)[1]) if scores[0] else None
    had = _flat(given)
    kind = None
    if _apart(had, of_loss) < _SAME:
        kind = "loss"
    elif _apart(had, of_loss) > _OTHER and of_loss.any():  # a number without a gradient is no loss
        of_scores = of_first is not None and _apart(had, of_first) < _SAME
        kind = "sum" if _apart(had, of_all) < _SAME else "first" if of_scores else None
    return {"of": kind, "outputs": shapes, "name": function.__name__, "place": place_of_code(function.__code__)}


def _are_scores(values: np.ndarray) -> bool:
    """Whether these are what a network gives for a batch, not the losses of its samples: one row each, or below zero."""
    return values.size > 1 and (values.ndim > 1 or float(values.min()) < 0)


def _numbers(outputs) -> list:
    return [value for value in tensors_in(outputs) if "Float" in str(value.dtype)]


def _flat(gradients) -> np.ndarray:
    arrays = [to_numpy(one).astype(np.float64).reshape(-1) for one in tensors_in(gradients)]
    return np.concatenate(arrays) if arrays else np.zeros(0)


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """The distance of two directions, as a share: 0 where one is the other times a positive number."""
    sizes = np.linalg.norm(one), np.linalg.norm(other)
    if one.size != other.size or not all(np.isfinite(sizes)) or min(sizes) == 0:
        return 1.0
    return float(np.linalg.norm(one / sizes[0] - other / sizes[1]))
