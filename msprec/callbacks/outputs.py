"""What a training cell puts out and how it scales its loss: which output is the loss, which the flag, which the
scale."""

import math
from typing import Optional

from msprec.callbacks.tensors import snapshot
from msprec.record.steps import to_number

_NO_SCALE = {"kind": "none", "class": None, "initial": None, "factor": None, "window": None, "floor": None,
             "drop_overflow_update": None, "place": None}  # fmt: skip
_DEPTH = 8  # wrapper cells between the callback's train_network and the cell that holds the scale


def scaling_cell(train_network):
    """The cell that holds the loss scale: ``train_network`` or one that it wraps; ``None`` where none does."""
    cell = train_network
    for _ in range(_DEPTH):
        if cell is None:
            return None
        if getattr(cell, "scale_sense", None) is not None:
            return cell
        cell = getattr(cell, "network", None)
    return None


def loss_scale_facts(train_network, manager=None) -> dict:
    """The ``loss_scale`` entry of ``facts/train_step.json``, and in ``flag`` whether an overflow flag exists at each
    step.

    Args:
        train_network: The training cell.
        manager: The ``loss_scale_manager`` of the Model, or ``None``.

    Reads Parameters from the device: call it before training, not at each step.
    """
    facts = dict(_NO_SCALE)
    cell = scaling_cell(train_network)
    if cell is None:
        if manager is not None:
            facts.update(kind="fixed", initial=_number(manager.get_loss_scale()), drop_overflow_update=False)
            facts["class"] = type(manager).__name__
        return {**facts, "flag": False}
    updater = getattr(cell, "loss_scaling_manager", None)
    names = {base.__name__ for base in type(updater).__mro__} if updater is not None else set()
    fixed = updater is None or "FixedLossScaleUpdateCell" in names
    facts.update(kind="fixed" if fixed else "dynamic", initial=_number(cell.scale_sense), drop_overflow_update=True)
    facts["class"] = type(cell.scale_sense if updater is None else updater).__name__
    if not fixed:
        factor, window = getattr(updater, "scale_factor", None), getattr(updater, "scale_window", None)
        facts.update(factor=_number(factor), window=_number(window))
        facts["floor"] = _number(getattr(updater, "minimum_loss_scale", None))
    return {**facts, "flag": True}


def overflow_by_scaler(scaler, before: Optional[float], after: Optional[float]):
    """From a dynamic scaler's own bookkeeping: an overflow sets its counter to 0 and does not raise the scale."""
    counter = getattr(scaler, "counter", None)
    if counter is None or before is None or after is None:
        return None
    before, after = (float(v.asnumpy()) if hasattr(v, "asnumpy") else float(v) for v in (before, after))
    if after < before:
        return True
    return False if after > before else (int(counter.asnumpy()) == 0 and getattr(scaler, "scale_window", 2) > 1)


def scaler_facts(scaler) -> dict:
    """The same entry for a ``DynamicLossScaler`` or ``StaticLossScaler`` of a functional loop; ``None``: no scaling."""
    if scaler is None:
        return dict(_NO_SCALE)
    dynamic = type(scaler).__name__ == "DynamicLossScaler"
    return {**_NO_SCALE, "kind": "dynamic" if dynamic else "fixed", "class": type(scaler).__name__,
            "initial": _number(getattr(scaler, "scale_value", None)), "factor": getattr(scaler, "scale_factor", None),
            "window": getattr(scaler, "scale_window", None), "floor": 1.0}  # fmt: skip


def _number(value) -> Optional[float]:
    try:
        return to_number(value)
    except (TypeError, ValueError, RuntimeError):
        return None


class StepOutputs:
    """Reads one training cell's outputs, whatever their order.

    The flag is the first bool scalar. Which floating scalar is the scale is found at the first step, by its value, so
    that a subclass that puts out more, less or in another order is read as well; the loss is the first floating scalar
    that is not the scale (the first floating tensor, where none is a scalar). That first reading waits for the device,
    the later ones do not.

    Args:
        train_network: The training cell, before its first step.
        manager: The Model's loss-scale manager, or ``None``.
    """

    def __init__(self, train_network, manager=None) -> None:
        self.cell = scaling_cell(train_network)
        self.facts = loss_scale_facts(train_network, manager)
        self._scale = self.facts["initial"]
        self._set_by_host = self.cell is not None and getattr(self.cell, "loss_scaling_manager", None) is None
        self._layout = None

    def before(self) -> None:
        """Call it before a step: a scale that the host sets is read here."""
        if self._set_by_host:
            self._scale = snapshot(self.cell.scale_sense)

    @property
    def scale(self):
        """The loss scale of the step that has begun: a number, a tensor of its own, or None."""
        return self._scale

    def after(self, outputs) -> dict:
        """The fields of the step's row: loss, overflow, scale (the step was computed with), next_scale; those that
        exist."""
        leaves = list(_leaves(outputs))
        fields = {}
        if self._layout is None or self._layout[0] != len(leaves):
            self._layout = (len(leaves), *self._find(leaves))
        _, loss, flag, scale = self._layout
        if loss is not None:
            fields["loss"] = leaves[loss] if not _is_parameter(leaves[loss]) else snapshot(leaves[loss])
        if flag is not None:
            fields["overflow"] = leaves[flag]
        if self.cell is not None:
            value = self.cell.scale_sense if scale is None else leaves[scale]
            fields["scale"] = self._scale
            fields["next_scale"] = self._scale = snapshot(value) if _is_parameter(value) else value
        elif self._scale is not None:
            fields["scale"] = fields["next_scale"] = self._scale
        return fields

    def _find(self, leaves: list) -> tuple:
        """Places of loss, flag, and scale after the update; ``None`` for what is not there."""
        flag = next((i for i, leaf in enumerate(leaves) if _kind(leaf) == "flag"), None)
        scalars = [i for i, leaf in enumerate(leaves) if _kind(leaf) == "scalar"]
        scale, taken = None, set()
        if self.cell is not None:
            parameter = self.cell.scale_sense
            now, used = _number(parameter), _number(self._scale)
            after = [i for i in scalars if leaves[i] is parameter or _same(_number(leaves[i]), now)]
            scale = after[-1] if after else None  # by custom the last: a loss of the same value comes before
            before = [i for i in scalars if i != scale and _same(_number(leaves[i]), used)] if scale is None else []
            taken = {scale, *before}
        losses = [i for i in scalars if i not in taken] or [i for i, x in enumerate(leaves) if _kind(x) == "tensor"]
        return (losses[0] if losses else None), flag, scale


def _same(a, b) -> bool:
    return a is not None and b is not None and (a == b or (math.isnan(a) and math.isnan(b)))


def _leaves(outputs):
    if isinstance(outputs, (tuple, list)):
        for item in outputs:
            yield from _leaves(item)
    elif isinstance(outputs, dict):
        for item in outputs.values():
            yield from _leaves(item)
    else:
        yield outputs


def _kind(leaf) -> Optional[str]:
    if isinstance(leaf, bool):
        return "flag"
    if isinstance(leaf, float):
        return "scalar"
    if not hasattr(leaf, "asnumpy"):
        return None
    name = str(leaf.dtype)
    if name == "Bool":
        return "flag" if leaf.size == 1 else None
    if name.startswith(("Float", "BFloat")):
        return "scalar" if leaf.size == 1 else "tensor"
    return None


def _is_parameter(value) -> bool:
    return type(value).__name__ == "Parameter"
