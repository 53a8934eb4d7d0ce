"""Networks of the form of a trained one that no optimizer trains: targets, moving averages, references."""

from typing import Optional

import numpy as np

from msprec.observe.data.datasets import to_array
from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import is_builtin, parameters_of, walk
from msprec.runtime.memory import in_one_place

#: So many are told, and parameters of so many bytes together are compared.
_MOST, _MOST_BYTES = 4, 256 << 20
#: Networks are looked for so deep within a training cell: what lies deeper are their layers.
_DEEPEST = 2
#: Bytes of the values that are kept from the first call of networks that are only called.
_MOST_KEPT = 64 << 20


def note_first_call(steps, root) -> None:
    """Keeps the values of a network that is called outside a gradient for the first time, unless it trains or they are many.

    A target is called first while the training is under way, with weights that the trained network may never have had.
    """
    if any(root is r for r in steps.roots) or id(root) in steps.first_called:
        return
    parameters = [parameter for _, parameter, _, _ in parameters_of(root)]
    held = sum(p.nbytes for _, _, values in steps.first_called.values() for p in values)
    if parameters and held + sum(p.nbytes for p in parameters) <= _MOST_KEPT:
        values = [to_array(p) for p in parameters]
        if all(one is not None for one in values):
            steps.first_called[id(root)] = (root, steps.updated, [np.array(one) for one in values])


def copies(observer, optimized: Optional[set]) -> list:
    """The entry ``copies`` of ``network.json``."""
    if not optimized:
        return []
    trained, others = [], []
    for root, owner in _candidates(observer, optimized):
        parameters = [(path, parameter) for path, parameter, _, _ in parameters_of(root)]
        group = trained if any(id(p) in optimized for _, p in parameters) else others
        if parameters and sum(p.nbytes for _, p in parameters) <= _MOST_BYTES:
            group.append((root, owner, parameters))
    found = []
    for root, owner, parameters in others:
        original = next((one for one in trained if _form(one[2]) == _form(parameters)), None)
        if original is not None and len(found) < _MOST:
            found.append(_entry(observer, root, owner, parameters, original[0], original[2]))
    return found


def _candidates(observer, optimized: set) -> list:
    """``(network, the root that is called)``: each root, and the networks within it that are of one class, or of that of another
    root, as a training cell holds the network that learns and its target."""
    roots = {id(r): r for r in [*observer.steps.roots, *observer.steps.eval_roots]}
    found, called = [(root, root) for root in roots.values()], {type(root) for root in roots.values()}
    for root in roots.values():
        classes: dict = {}
        for path, cell in walk(root, optimizers=False):
            if cell is not root and path.count(".") < _DEEPEST and not is_builtin(type(cell)):
                classes.setdefault(type(cell), []).append(cell)
        for cls, cells in classes.items():
            learns = [any(id(p) in optimized for _, p, _, _ in parameters_of(cell)) for cell in cells]
            if any(learns) and (cls in called or not all(learns)):
                found += [(cell, root) for cell in cells if id(cell) not in roots]
    return found


def _form(parameters: list) -> list:
    """Paths and shapes; the names of parameters carry prefixes of their own."""
    return [(path, tuple(p.shape)) for path, p in parameters]


class _Values:
    """Values of parameters at the end and, where they were copied whole, before the first step; None: not known."""

    def __init__(self, entries: dict, parameters: list) -> None:
        self.now = [to_array(p) for p in parameters]
        self.before = [_before(entries, p) for p in parameters]
        self.trainable = [p.requires_grad for p in parameters]


def _entry(observer, root, owner, parameters: list, original, trained: list) -> dict:
    entries = observer.parameters.entries
    own, beside = (_Values(entries, [p for _, p in some]) for some in (parameters, trained))
    calls = [phase for phase in observer.modes.phases.values() if observer.modes.roots[phase["network"]]() is owner]
    evaluated = any(
        observer.modes.roots[phase["network"]]() is original and not phase["gradient"]
        for phase in observer.modes.phases.values()
    )
    return {
        "class": type(root).__name__,
        "created": created_place(root),
        "called": calls[0]["place"] if calls and root is owner else None,
        "in_training": any(phase["gradient"] for phase in calls),
        "last_step": max((phase["last_step"] for phase in calls), default=None),
        "original_evaluated": evaluated,
        "unchanged_since": _unchanged_since(observer.steps.first_called.get(id(root)), own.now),
        "unchanged": _equal(own.now, own.before),
        "as_original_began": _equal(own.now, beside.before),
        "as_original_ended": _equal(own.now, beside.now),
        "shared": sum(in_one_place(p, q) for (_, p), (_, q) in zip(parameters, trained) if q.requires_grad),
        "distance": _distance(own, beside),
        "behind": _behind(own, beside),
        "statistics_stayed": _statistics_stayed([path for path, _ in parameters], own, beside),
    }


def _unchanged_since(first: Optional[tuple], now: list) -> Optional[int]:
    return first[1] if first is not None and len(first[2]) == len(now) and _equal(now, first[2]) else None


def _statistics_stayed(paths: list, own: _Values, beside: _Values) -> list:
    """Paths of the copy's BatchNorm statistics that are as they were, though those of the trained network have changed."""
    return [
        path
        for path, now, before, trained, began in zip(paths, own.now, own.before, beside.now, beside.before)
        if path.endswith(("moving_mean", "moving_variance"))
        and _equal([now], [before if before is not None else began])
        and _equal([trained], [began]) is False
    ]


def _distance(own: _Values, beside: _Values) -> Optional[float]:
    """Norm of the difference of all weights that take a gradient, over that of the trained network's; None where it is 0."""
    known = _known([own.now, beside.now], beside.trainable)
    return _ratio([(a - b, b) for a, b in known])


def _behind(own: _Values, beside: _Values) -> Optional[float]:
    """The same over the norm of what training changed in them: 0 of the trained weights, 1 of those of the start."""
    known = _known([own.now, beside.now, beside.before], beside.trainable)
    return _ratio([(a - b, b - began) for a, b, began in known])


def _known(values: list, wanted: list) -> list:
    """Of each wanted parameter its arrays, as float64, where all are known."""
    groups = [group for group, one in zip(zip(*values), wanted) if one]
    return [[one.astype(np.float64) for one in group] for group in groups if all(one is not None for one in group)]


def _ratio(pairs: list) -> Optional[float]:
    """Norm of all first arrays together over that of all second ones; None where that is 0."""
    first, second = (np.sqrt(sum(float((pair[n] ** 2).sum()) for pair in pairs)) for n in (0, 1))
    return float(first / second) if second > 0 else None


def _before(entries: dict, parameter) -> Optional[np.ndarray]:
    """The values before the first step; None where they were not copied whole."""
    entry = entries.get(id(parameter))
    return entry[4] if entry is not None and entry[5] == "all" else None


def _equal(values: list, others: list) -> Optional[bool]:
    """Whether all arrays are equal; None where one is not known."""
    if any(one is None for one in (*values, *others)):
        return None
    return all(np.array_equal(one, other) for one, other in zip(values, others))
