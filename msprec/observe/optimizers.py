"""Optimizers: their hyper-parameters as they hold them, and the learning rate of a step."""

from typing import Optional

import numpy as np


def _number(value) -> Optional[float]:
    """A hyper-parameter as a float; None when it is no single number."""
    if isinstance(value, (int, float)):
        return float(value)
    if hasattr(value, "asnumpy") and value.size == 1:
        return float(value.asnumpy().reshape(-1)[0])
    return None


def _count(optimizer) -> Optional[int]:
    """MindSpore's own optimizers count their updates in ``global_step``, in graph mode too."""
    value = _number(getattr(optimizer, "global_step", None))
    return None if value is None else int(value)


def _listed(rate) -> Optional[np.ndarray]:
    """The values of a learning rate given as a list, or None."""
    values = getattr(rate, "learning_rate", None)
    if type(rate).__name__ == "_IteratorLearningRate" and hasattr(values, "asnumpy"):
        return values.asnumpy().reshape(-1)
    return None


class LearningRate:
    """The learning rate an optimizer uses, read without running anything on the device."""

    def __init__(self, optimizer) -> None:
        self.optimizer = optimizer
        rate = getattr(optimizer, "learning_rate", None)
        self.values, self.class_name, self.kind = None, None, "constant"
        if getattr(optimizer, "param_groups", None):
            self.kind = "constant" if len(optimizer.param_groups) == 1 else "groups"
        elif getattr(optimizer, "is_group_lr", False):
            self.kind = "groups"
        elif getattr(optimizer, "dynamic_lr", False):
            self.values = _listed(rate)
            self.kind = "list" if self.values is not None else "schedule"
            self.class_name = None if self.values is not None else type(rate).__name__

    def at(self, step: int) -> Optional[float]:
        """The rate of training step ``step`` (from 1), or None when only the graph knows it."""
        if self.kind == "list":
            return float(self.values[min(step - 1, len(self.values) - 1)])
        if self.kind != "constant":
            return None
        groups = getattr(self.optimizer, "param_groups", None)
        return _number(groups[0]["lr"] if groups else getattr(self.optimizer, "learning_rate", None))

    def facts(self, steps: int) -> dict:
        first, last = self.at(1), self.at(max(1, steps))
        groups = None
        if self.kind == "groups":
            rates = [g["lr"] for g in getattr(self.optimizer, "param_groups", ())] or list(
                getattr(self.optimizer, "learning_rate", ())
            )
            groups = [_number(rate) for rate in rates][:64]
        return {"kind": self.kind, "value": first if self.kind == "constant" else None, "first": first, "last": last,
                "class": self.class_name, "groups": groups}  # fmt: skip


class OptimizerObserver:
    """Every optimizer the script makes, and which of them took part in a step."""

    def __init__(self) -> None:
        self.made, self.used, self.first_updates = [], {}, {}

    def created(self, optimizer, place: Optional[dict]) -> None:
        self.made.append((optimizer, place))

    def in_use(self, optimizer) -> LearningRate:
        """Notes that ``optimizer`` takes part in training; its learning rate."""
        rate = self.used.get(id(optimizer))
        if rate is None:
            rate = self.used[id(optimizer)] = LearningRate(optimizer)
            self.first_updates[id(optimizer)] = (optimizer, _count(optimizer))
        return rate

    def updates(self) -> Optional[int]:
        """Updates that the used optimizers made by their own count, the most of any; None where none of them counts."""
        made = []
        for optimizer, before in self.first_updates.values():
            after = _count(optimizer)
            if before is not None and after is not None:
                made.append(after - before)
        return max(made) if made else None

    def parameter_ids(self) -> Optional[set]:
        """ids of the parameters of the used optimizers (of all, when none was seen in use)."""
        optimizers = [o for o, _ in self.made if not self.used or id(o) in self.used]
        if not optimizers:
            return None
        return {id(p) for o in optimizers for p in o.parameters}

    def facts(self, steps: int) -> dict:
        listed = []
        for number, (optimizer, place) in enumerate(self.made):
            rate = self.used.get(id(optimizer)) or LearningRate(optimizer)
            listed.append({
                "id": number, "class": type(optimizer).__name__, "place": place, "used": id(optimizer) in self.used,
                "learning_rate": rate.facts(steps),
                "momentum": _number(getattr(optimizer, "momentum", None)),
                "weight_decay": _number(getattr(optimizer, "weight_decay", None)),
                "loss_scale": _number(getattr(optimizer, "loss_scale", None)),
                "parameters": len(optimizer.parameters), "parameter_names": [p.name for p in optimizer.parameters],
            })  # fmt: skip
        return {"optimizers": listed}
