"""Gradient and update of each layer over the sampled steps, in the order of the network (td.02)."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.weights.weight_updates import is_trainable_kind
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Cells whose weights get a gradient of another kind: few rows at a time, or all time steps at once.
_APART = ("embed", "lstm", "gru", "rnn")


class Layer(NamedTuple):
    """One weight of the network.

    Attributes:
        name: Of the parameter.
        gradient: Root mean square of the gradient's elements that are not zero, by sample, NaN where it was not sampled:
            (samples,) float64. 0 where all are zero.
        update: ‖change in the step‖ ÷ ‖weight before‖, likewise.
        fact: The parameter in the facts; None where only the gradients are known (`PrecisionMonitor`).
        chain: Whether it belongs to the layers that depth is counted by.
    """

    name: str
    gradient: np.ndarray
    update: np.ndarray
    fact: Optional[Fact]
    chain: bool

    @property
    def level(self) -> float:
        """The median gradient; NaN without a sample."""
        return _median(self.gradient)

    @property
    def ratio(self) -> float:
        """The median update ÷ weight; NaN where it is not known."""
        return _median(self.update)


class Sampled(NamedTuple):
    """``steps``: numbers of the sampled steps, (samples,) int; ``layers``: the weights, in the network's order."""

    steps: np.ndarray
    layers: list


def sampled_layers(run_data: RunData) -> Sampled:
    """The weights whose gradients were sampled; biases, normalisations and statistics left out."""
    rows = [row for row in run_data.gradients() if row.get("step") is not None and row.get("parameter")]
    steps = sorted({int(row["step"]) for row in rows})
    place = {step: position for position, step in enumerate(steps)}
    facts = {fact.name: fact for fact in run_data.parameters}
    names: dict[str, np.ndarray] = {}
    for row in rows:
        if row["parameter"] not in names:
            names[row["parameter"]] = np.full((2, len(steps)), np.nan)
        names[row["parameter"]][:, place[int(row["step"])]] = _level(row), _number(row.get("update_ratio"))
    order = {name: position for position, name in enumerate(facts)}
    chosen = [name for name in sorted(names, key=lambda name: order.get(name, len(order))) if _is_weight(facts, name)]
    return Sampled(
        np.array(steps, int),
        [
            Layer(name, names[name][0], names[name][1], facts.get(name), _in_chain(facts.get(name), name))
            for name in chosen
        ],
    )


def _level(row: dict) -> float:
    size, norm, zeros = row.get("size") or 0, row.get("norm"), row.get("zeros") or 0.0
    present = size * (1 - zeros)
    if norm is None or (row.get("nonfinite") or 0) > 0:
        return np.nan
    return float(norm) / present**0.5 if present > 0 else 0.0


def _number(value) -> float:
    return np.nan if value is None else float(value)


def _is_weight(facts: dict, name: str) -> bool:
    fact = facts.get(name)
    if fact is None:
        return not facts and name.rsplit(".", 1)[-1] in ("weight", "kernel", "w")
    return fact.kind in ("weight", "other") and len(fact.shape) > 1 and is_trainable_kind(fact)


def _in_chain(fact: Optional[Fact], name: str) -> bool:
    words = f"{name} {fact.cell_class if fact is not None else ''}".lower()
    return not any(word in words for word in _APART)


def _median(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else float("nan")
