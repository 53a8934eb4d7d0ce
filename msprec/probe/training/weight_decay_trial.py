"""Training on from the last weights without the optimizer's weight decay (td.08)."""

import re
from typing import Optional

from msprec.locate.gradients import Plain

#: Optimizers that take the decay off the weights apart from the gradient (Loshchilov and Hutter 2019).
_APART = re.compile(r"AdamW|AdamWeightDecay|Lion", re.IGNORECASE)
#: Their steps are as large as the weight, whatever was added to the gradient.
_BY_NORM = re.compile(r"Lamb|LARS", re.IGNORECASE)


def decays_of(optimizer) -> Optional[list]:
    """The weight decay of each of the optimizer's parameters, in its order; None where there is none, or it is not known: a
    schedule, a loss scale of its own, rates by group beside a decay apart from the gradient, steps by the norm of the weights."""
    if _BY_NORM.search(type(optimizer).__name__):
        return None
    if _is_apart(optimizer) and getattr(optimizer, "is_group_lr", False):
        return None
    groups = getattr(optimizer, "param_groups", None)
    if groups:
        found = [_number(group.get("weight_decay")) for group in groups for _ in group["params"]]
    else:
        found = _by_flags(optimizer)
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) and any(known) else None


def _by_flags(optimizer) -> list:
    """Of MindSpore's own optimizers, which hold a decay or one for each parameter, and which parameters it is for."""
    scaled = float(getattr(optimizer, "loss_scale", 1.0) or 1.0) != 1.0
    value, flags = getattr(optimizer, "weight_decay", None), getattr(optimizer, "decay_flags", ())
    if value is None or scaled or getattr(optimizer, "dynamic_weight_decay", False):
        return [None]
    values = list(value) if isinstance(value, (tuple, list)) else [value] * len(flags)
    return [_number(one) if flag else 0.0 for one, flag in zip(values, flags)]


def _number(value) -> Optional[float]:
    if hasattr(value, "asnumpy"):
        return float(value.asnumpy())
    return float(value) if isinstance(value, (int, float)) else None


def _is_apart(optimizer) -> bool:
    return bool(_APART.search(type(optimizer).__name__))


class NoDecay(Plain):
    """Undoes what an optimizer's weight decay does, in steps that run under it: compiled code keeps its decay, so that it
    is given the gradients less the decay's part, or the weights get back what it took.

    Args:
        optimizer: The optimizer.
        decays: As `decays_of` gives them.
        rate: The learning rate of the steps.
    """

    def __init__(self, optimizer, decays: list, rate: float) -> None:
        super().__init__()
        self._optimizer, self._rate, self._decays = optimizer, rate, decays

    def cell_call(self, original, cell, args, kwargs):
        """A call of a cell; that of the optimizer is made without the decay."""
        if cell is not self._optimizer or not args:
            return original(cell, *args, **kwargs)
        pairs = list(zip(cell.parameters, self._decays))
        if not _is_apart(cell):
            given = tuple(g - decay * p if decay else g for g, (p, decay) in zip(args[0], pairs))
            return original(cell, given, *args[1:], **kwargs)
        from mindspore import ops

        before = [(parameter, decay, parameter.value().copy()) for parameter, decay in pairs if decay]
        result = original(cell, *args, **kwargs)
        for parameter, decay, value in before:
            ops.assign(parameter, parameter + self._rate * decay * value)
        return result
