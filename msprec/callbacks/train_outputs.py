"""What a training cell puts out and how it scales its loss: which output is the loss, which the flag, which the
scale."""

import math
from typing import Any, Optional

import numpy as np

from msprec.callbacks.overflow_flag import FlagFinder, UpdateFlagFinder
from msprec.callbacks.recorder_cell import KEPT_TYPES, OUTPUTS
from msprec.record.nested import flatten
from msprec.record.overflow_rules import FLAG, LOSS, SCALE, ScalerRule
from msprec.record.step_recorder import to_number
from msprec.runtime.tensor_snapshot import snapshot

_NO_SCALE = {
    "kind": "none",
    "class": None,
    "initial": None,
    "factor": None,
    "window": None,
    "floor": None,
    "drop_overflow_update": None,
    "place": None,
}
#: The layout of outputs that are the loss and nothing else: count of leaves, places of loss, flag and scale.
_LOSS_ONLY = (1, 0, None, None)
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
    """The ``loss_scale`` entry of ``facts/train_step.json``; in ``flag`` whether an overflow flag exists at each step,
    and in ``overflow_from`` where the overflow of a step is read (see `msprec.record.overflow_rules`).

    Args:
        train_network: The training cell.
        manager: The ``loss_scale_manager`` of the Model, or ``None``.

    Reads Parameters from the device: call it before training, not at each step.
    """
    facts: dict[str, Any] = dict(_NO_SCALE)
    cell = scaling_cell(train_network)
    if cell is None:
        if manager is not None:
            facts.update(kind="fixed", initial=_number(manager.get_loss_scale()), drop_overflow_update=False)
            facts["class"] = type(manager).__name__
        elif (sens := _sensitivity(train_network)) not in (None, 1.0):
            facts.update(kind="fixed", initial=sens, drop_overflow_update=False)
            facts["class"] = "TrainOneStepCell"
        return {**facts, "flag": False, "overflow_from": LOSS if facts["kind"] == "fixed" else None}
    updater = getattr(cell, "loss_scaling_manager", None)
    names = {base.__name__ for base in type(updater).__mro__} if updater is not None else set()
    fixed = updater is None or "FixedLossScaleUpdateCell" in names
    facts.update(kind="fixed" if fixed else "dynamic", initial=_number(cell.scale_sense), drop_overflow_update=True)
    facts["class"] = type(cell.scale_sense if updater is None else updater).__name__
    if not fixed:
        factor, window = getattr(updater, "scale_factor", None), getattr(updater, "scale_window", None)
        facts.update(factor=_number(factor), window=_number(window))
        facts["floor"] = _number(getattr(updater, "minimum_loss_scale", None))
    return {**facts, "flag": True, "overflow_from": FLAG}


def _count_of(train_network):
    """The Parameter in which the optimizer of ``train_network``, or of a cell that it wraps, counts its updates; or None."""
    cell = train_network
    for _ in range(_DEPTH):
        count = getattr(getattr(cell, "optimizer", None), "global_step", None)
        if cell is None or count is not None:
            return count
        cell = getattr(cell, "network", None)
    return None


def _sensitivity(train_network) -> Optional[float]:
    """What MindSpore's own ``TrainOneStepCell`` multiplies the loss with (``sens``); None of any other cell, also of one that
    has a construct of its own, as that may divide again."""
    from mindspore.nn import TrainOneStepCell

    if getattr(type(train_network), "construct", None) is not TrainOneStepCell.construct:
        return None
    sens = getattr(train_network, "sens", None)
    return float(sens) if isinstance(sens, (int, float)) and not isinstance(sens, bool) else None


class ScalerFollower:
    """Follows a ``DynamicLossScaler`` step by step: its scale, and by its own bookkeeping whether a step overflowed.

    Args:
        scaler: The scaler; of a ``StaticLossScaler``, of any other object or of ``None`` only the scale is told.
    """

    def __init__(self, scaler) -> None:
        self.scaler = scaler
        self._rule = None
        if hasattr(scaler, "counter") and hasattr(scaler, "scale_factor"):
            self._rule = ScalerRule(scaler.scale_factor, scaler.scale_window)

    def state(self) -> tuple:
        """``(scale, counter)`` now, safe to read later; ``None`` for what there is not."""
        return snapshot(getattr(self.scaler, "scale_value", None)), snapshot(getattr(self.scaler, "counter", None))

    def overflow(self, before: tuple, after: tuple):
        """What `StepRecorder.put` takes for the overflow of a step between two states. Read it in the steps' order."""
        if self._rule is None or any(value is None for value in (*before, *after)):
            return None
        return _OverflowLater(self._rule, before, after)


class _OverflowLater:
    """An overflow that is worked out when its row is written, so that no step waits for the device."""

    def __init__(self, rule: ScalerRule, before: tuple, after: tuple) -> None:
        self._rule, self._states, self._read = rule, (before, after), False
        self._value: Optional[bool] = None

    def asnumpy(self):
        if not self._read:
            states = [tuple(float(to_number(value)) for value in state) for state in self._states]
            self._value, self._read = self._rule.overflow(*states), True
        return self._value


def scaler_facts(scaler) -> dict:
    """The same entry for a ``DynamicLossScaler`` or ``StaticLossScaler`` of a functional loop; ``None``: no scaling."""
    if scaler is None:
        return dict(_NO_SCALE)
    dynamic = not any(base.__name__ == "StaticLossScaler" for base in type(scaler).__mro__)
    return {
        **_NO_SCALE,
        "kind": "dynamic" if dynamic else "fixed",
        "class": type(scaler).__name__,
        "initial": _number(getattr(scaler, "scale_value", None)),
        "factor": getattr(scaler, "scale_factor", None),
        "window": getattr(scaler, "scale_window", None),
        "floor": 1.0,
    }


def _number(value) -> Optional[float]:
    try:
        return to_number(value)
    except (TypeError, ValueError, RuntimeError):
        return None


class StepOutputs:
    """Reads one training cell's outputs, whatever their order.

    The flag is the bool scalar of MindSpore's own cells; of a user's subclass with a dynamic scale, the one that goes
    with the scale (see `FlagFinder`), else the first; without a scale it has to prove that it is one (see
    `UpdateFlagFinder`). Which floating scalar is the scale is found at the first step, by
    its value, so that a subclass that puts out more, less or in another order is read as well; the loss is the first
    floating scalar that is not the scale (the first floating tensor, where none is a scalar). That first reading waits
    for the device, the later ones do not.

    Args:
        train_network: The training cell, before its first step.
        manager: The Model's loss-scale manager, or ``None``.
    """

    def __init__(self, train_network, manager=None) -> None:
        self.cell = scaling_cell(train_network)
        self.facts = loss_scale_facts(train_network, manager)
        self._scale = self.facts["initial"]
        self._set_by_host = self.cell is not None and getattr(self.cell, "loss_scaling_manager", None) is None
        #: How many leaves outputs have, and among them the places of loss, flag and scale; None before the first step
        self._layout: Any = None
        self._flags = self._flag_finder()
        self._scaled = self._scale is not None or self.cell is not None or self._flags is not None
        self._by_updates = UpdateFlagFinder() if self.cell is None else None
        self._count = _count_of(train_network) if self.cell is None else None
        self._updates = snapshot(self._count)

    def _flag_finder(self) -> Optional[FlagFinder]:
        """For cells with a dynamic scale whose outputs may be other than those of MindSpore's own."""
        if self.facts["kind"] != "dynamic" or _stock(self.cell, "construct"):
            return None
        updater = self.cell.loss_scaling_manager
        return FlagFinder(self.facts["floor"], _stock(self.cell, "process_loss_scale") and _stock(updater, "construct"))

    def before(self, anew: bool = False) -> None:
        """Call it before a step: a scale that the host sets is read here. ``anew``: any scale is; steps may have been
        run that nobody told of."""
        if self._set_by_host or (anew and self.cell is not None):
            self._scale = snapshot(self.cell.scale_sense)
        if anew and (self._layout is None or self._layout[2] is not None):
            self._updates = snapshot(self._count)

    @property
    def scale(self):
        """The loss scale of the step that has begun: a number, a tensor of its own, or None."""
        return self._scale

    def may_wait(self, outputs) -> bool:
        """Whether `after` gives the same when later steps have run: no Parameter, which they may change, is read."""
        if self._layout is None or self._set_by_host:
            return False
        _, _, flag, scale = self._layout
        if (self.cell is not None and scale is None) or (self._by_updates is not None and flag is not None):
            return False
        leaves = outputs if isinstance(outputs, tuple) else (outputs,)
        return all(type(leaf).__name__ == "Tensor" for leaf in leaves)

    def after(self, outputs) -> dict:
        """The fields of the step's row: loss, overflow, scale (the step was computed with), next_scale; those that
        exist."""
        if self._layout == _LOSS_ONLY and not self._scaled and type(outputs).__name__ == "Tensor":
            return {"loss": outputs}
        leaves = list(flatten(outputs))
        self._learn(leaves)
        return self._fields(leaves)

    def after_sink(self, outputs, kept) -> list:
        """The same for each step of a sink: ``outputs`` of its last one, ``kept`` what a `RecorderCell` has kept.

        Empty where the two do not agree on the last step.
        """
        leaves = list(flatten(outputs))
        scales: list[Optional[float]] = [None] * len(kept)
        if kept.scale is not None:
            scales = [float(scale) for scale in kept.scale]
            first, self._scale = self._scale, scales[-2] if len(scales) > 1 else self._scale
            self._learn(leaves)
            self._scale = first
        else:
            self._learn(leaves)
        if not len(kept) or not self._agrees(outputs, kept.outputs[-1]):
            return []
        updates = [None] * len(kept) if kept.updates is None else kept.updates.tolist()
        rows = zip(kept.outputs, scales, updates)
        return [self._fields(_of_step(outputs, row), scale, count) for row, scale, count in rows]

    def _agrees(self, outputs, row) -> bool:
        """Whether a step's outputs are those in the ``row``; an output that is the scale may have changed since."""
        leaves = list(flatten(outputs))
        for place, value in zip(kept_leaves(outputs), row.tolist()):
            told = float(to_number(leaves[place]))
            exact = leaves[place].size == 1
            if place != self._layout[-1] and not np.allclose(np.float32(told), value, 0 if exact else 1e-4, 0, True):
                return False
        return True

    def _learn(self, leaves: list) -> None:
        if self._layout is None or self._layout[0] != len(leaves):
            self._layout = (len(leaves), *self._find(leaves))
            self._note_source()

    def _fields(self, leaves: list, next_scale=None, updates=None) -> dict:
        _, loss, flag, scale = self._layout
        fields = {}
        if loss is not None:
            fields["loss"] = leaves[loss] if not _is_parameter(leaves[loss]) else snapshot(leaves[loss])
        if flag is not None:
            fields["overflow"] = leaves[flag]
        before = self._scale
        if self.cell is not None:
            value = next_scale
            if value is None:
                value = self.cell.scale_sense if scale is None else leaves[scale]
            fields["scale"] = self._scale
            fields["next_scale"] = self._scale = snapshot(value) if _is_parameter(value) else value
        elif self._scale is not None:
            fields["scale"] = fields["next_scale"] = self._scale
        if self._flags is not None:
            flags = [leaf for leaf in leaves if _kind(leaf) == "flag"]
            fields["overflow"] = self._flags.later(flags, before, self._scale)
        if self._by_updates is not None and flag is not None:
            earlier, self._updates = self._updates, snapshot(self._count) if updates is None else updates
            fields["overflow"] = self._by_updates.later([leaves[flag]], earlier, self._updates)
        return fields

    def _note_source(self) -> None:
        """The outputs are known now: does a flag come with each step?"""
        if self.facts["overflow_from"] == FLAG and self._layout[2] is None:
            source = SCALE if self._flags is not None else LOSS
            self.facts.update(flag=source == SCALE, overflow_from=source)

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


def loss_and_flag(outputs) -> tuple:
    """``(loss, overflow flag)`` of what a training cell of which nothing is known puts out: its first floating scalar (or, where
    none is a scalar, tensor) and its first bool; None for what is not there. What is no tuple or list is the loss."""
    if not isinstance(outputs, (tuple, list)):
        return outputs, None
    leaves = list(flatten(outputs))
    found = {
        kind: next((leaf for leaf in leaves if _kind(leaf) == kind), None) for kind in ("scalar", "tensor", "flag")
    }
    loss = found["tensor"] if found["scalar"] is None else found["scalar"]
    return snapshot(loss) if _is_parameter(loss) else loss, found["flag"]


def _stock(cell, method: str) -> bool:
    """Whether the class of ``cell`` has this method from MindSpore, or does not have it."""
    return getattr(getattr(type(cell), method, None), "__module__", "mindspore").split(".")[0] == "mindspore"


def _same(a, b) -> bool:
    return a is not None and b is not None and (a == b or (math.isnan(a) and math.isnan(b)))


def kept_leaves(outputs) -> list:
    """Places, among the leaves of a step's outputs, of those that a `RecorderCell` keeps, in its order."""
    kept: list[int] = []
    place = 0
    for output in outputs if isinstance(outputs, (tuple, list)) else (outputs,):
        for leaf in output if isinstance(output, (tuple, list)) else (output,):
            fits = len(kept) < OUTPUTS and hasattr(leaf, "asnumpy") and leaf.dtype in KEPT_TYPES
            if fits and (leaf.size == 1 or (not kept and _kind(leaf) == "tensor")):
                kept.append(place)
            place += len(list(flatten(leaf)))
    return kept


def _of_step(outputs, row) -> list:
    """The leaves of another step's outputs, as numbers, from a `RecorderCell`'s ``row``; the others as they are."""
    leaves = list(flatten(outputs))
    for place, value in zip(kept_leaves(outputs), row.tolist()):
        leaves[place] = bool(value) if _kind(leaves[place]) == "flag" else value
    return leaves


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
