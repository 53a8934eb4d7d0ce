"""What the optimizer is given beside the gradients of its batches, computed again.

Of a functional loop some updates were captured while it ran, and their gradients are computed anew with the weights of
then. A training cell or compiled step of the user's is called several times, with its optimizer doing nothing, and what the
optimizer is called with is held against what the gradient functions gave.
"""

from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.gradients import Plain
from msprec.locate.replay import undisturbed, watched
from msprec.locate.trace import to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.captured_updates import flat_gradients, joined
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of, run_forward
from msprec.probe.training.exchanged_gradients import exchanged_gradients
from msprec.record.nested import tensors_in
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.scalars import first_scalar
from msprec.runtime.source_locations import place_of_class, place_of_code, user_place

#: A cell is called until so many updates were seen, so many times at most.
_UPDATES, _CALLS = 3, 40
#: Until two updates were seen, so many times the budget.
_PATIENCE = 4
#: The rest that one factor may leave, as a share, before the gradients of the update before are looked for.
_EXACT = 0.02
#: The rest from which on gradients of other weights are tried; sets of such weights that are tried, and names that are told.
_UNEXPLAINED, _MOST_SETS, _MOST_NAMES = 0.1, 4, 8
#: A gradient that is smaller, as a share of what the optimizer is given, is lost in float32's seven digits.
_LOST = 1e-4
_FACTORS = ("div", "truediv", "realdiv", "mul", "mult", "multiply")


class Given(NamedTuple):
    """What an optimizer was given: ``own``: gradients computed since the update before, or the last of these ``parts`` alone,
    where that is all that was given; ``before``: what it was given then."""

    number: int
    given: np.ndarray
    own: list
    before: Optional[np.ndarray]
    parts: int


def update_gradients(material, seconds: float) -> Optional[dict]:
    """The entry ``gradients`` of ``probes.json``; None where nothing can be held against each other.

    Args:
        material: What the run has left.
        seconds: The budget.
    """
    others: list = []
    with material.as_in_training():
        if material.style == "functional":
            found, place = _of_loop(material, seconds), material.updates_held.place
            optimizer = material.updates_held.optimizer
        else:
            calls = _of_calls(material, seconds)
            if calls.taken and not calls.tell() and material.initial is not None:
                calls = _of_calls(material, seconds, material.initial)
            others = calls.others
            found, place = calls.found(), calls.place or _defined(material)
            optimizer = material.optimizers[0] if material.optimizers else None
        # of gradients that are not finite nothing can be told: a training that diverged had others before
        entries = [_compared(one) for one in found if np.isfinite(one.given).all()]
        if not entries:
            return None
        functional = material.style == "functional"
        divided = _loss_divided(material) if functional else None
        if functional and all(one["rest"] > _UNEXPLAINED for one in entries):
            others = _of_others(material)
        exchanged = _exchanged(optimizer, found) if not others and optimizer is not None else []
    return {
        "optimizer": type(optimizer).__name__ if optimizer is not None else None,
        "place": place,
        "loss_divided": divided,
        "of_others": [one.name for one in others][:_MOST_NAMES] if _stayed(material, others) else [],
        "exchanged": [list(pair) for pair in exchanged][:_MOST_NAMES],
        "updates": entries,
    }


def _exchanged(optimizer, found: list) -> list:
    """`exchanged_gradients` of the first update, where they are the same at all that were looked at."""
    told = [exchanged_gradients(list(optimizer.parameters), one.given, np.sum(one.own, 0)) for one in found]
    return told[0] if told and all(one == told[0] for one in told) else []


def _of_loop(material, seconds: float) -> list:
    began, found = busy_seconds(), []
    for one in material.updates_held.held:
        weights = list(material.updates_held.optimizer.parameters)
        given, own = joined(one.given), []
        for batch in reversed(one.batches):
            if found and busy_seconds() - began > seconds:
                return found
            step = material.build(batch, weights)
            with undisturbed(step.parameters, None, one.weights, step.host_random), watched(Plain()):
                own.append(flat_gradients(step.run(None, 1.0)))
            if own[0] is None or own[0].size != given.size or _fit(given, own[:1])[1] <= _EXACT:
                break
        known = all(part is not None and part.size == given.size for part in own)
        if known and (len(own) == one.parts or _fit(given, own[:1])[1] <= _EXACT):
            found.append(Given(one.number, given, own, joined(one.before), one.parts))
    return found


def _of_others(material) -> list:
    """The weights, none of them the optimizer's, whose gradients the optimizer was given at the first update that was captured;
    empty where it was not."""
    update = material.updates_held.held[0]
    weights, given = list(material.updates_held.optimizer.parameters), joined(update.given)
    own, shapes = {id(one) for one in weights}, [tuple(one.shape) for one in weights]
    pool = [one for one in material.build(update.batches[0], weights).parameters if id(one) not in own]
    sets = [pool[at : at + len(shapes)] for at in range(len(pool) - len(shapes) + 1)]
    for chosen in [one for one in sets if [tuple(p.shape) for p in one] == shapes][:_MOST_SETS]:
        step = material.build(update.batches[0], chosen)
        values = {**(material.initial or {}), **update.weights}
        with undisturbed(step.parameters, None, values, step.host_random), watched(Plain()):
            found = flat_gradients(step.run(None, 1.0))
        if found is not None and found.size == given.size and _fit(given, [found])[1] <= _EXACT:
            return chosen
    return []


def _stayed(material, weights: list) -> bool:
    """Whether they are as they were before the first step: a network in half precision whose weights are copied anew from those
    that the optimizer updates has its gradients given to it on purpose."""
    before = [(material.initial or {}).get(id(one)) for one in weights]
    return all(
        old is not None and np.array_equal(old, one.asnumpy(), equal_nan=True) for old, one in zip(before, weights)
    )


def _loss_divided(material) -> Optional[bool]:
    """Whether what is differentiated is a quotient or product with a plain number; None: it was not seen."""
    step = material.build(material.batches[0])
    with undisturbed(step.parameters, None, None, step.host_random):
        trace, result = run_forward(step)
    loss = first_scalar(result)
    node = trace.producers.get(id(loss))
    if node is None:
        return None
    return plain_name(node) in _FACTORS and sum(one.size > 1 for one in node.inputs) == 0


class _Calls(GraphTrace):
    """Notes the gradients that are computed and those that the first optimizer is given, and makes no update."""

    def __init__(self, step) -> None:
        super().__init__(step)
        self.backward, self.computed, self.taken, self.place = False, [], [], None
        self._first = None
        #: The weights by which was differentiated, where none of them is the optimizer's
        self.others: list = []

    def _update(self, optimizer, gradients):
        from mindspore import Tensor

        self._first = self._first or optimizer
        if optimizer is self._first:
            if self.place is None:
                nearest = next((one for one in reversed(self._calls) if one is not None), None)
                self.place = place_of(_At(nearest)) if nearest is not None else user_place()
            shapes = [tuple(one.shape) for one in _sequence(gradients)]
            taken = [
                (_flat(found) / sensitivity, weights)
                for one, weights, sensitivity in self.computed
                if (found := _matching(one, shapes)) is not None
            ]
            own, updated = [flat for flat, _ in taken], {id(one) for one in optimizer.parameters}
            by = [one for _, weights in taken for one in weights]
            if all(weights for _, weights in taken) and not updated & {id(one) for one in by}:
                self.others = self.others or by
            self.taken.append((_flat(gradients), own))
            self.computed = []
        return Tensor(True)

    def run_gradient(self, function, args, kwargs):
        """As `GraphTrace.run_gradient`, with the gradients noted."""
        result = super().run_gradient(function, args, kwargs)
        self.computed.append((result, _weights_of(function), _sensitivity(function, args)))
        return result

    def tell(self) -> bool:
        """Whether some gradients are finite and not lost beside what the optimizer is given, as they are where sums have grown
        without bound, and the training ended with NaN or with dead units."""
        norms = [(np.linalg.norm(given), np.linalg.norm(one)) for given, own in self.taken for one in own]
        return any(np.isfinite(whole + part) and part > _LOST * whole for whole, part in norms)

    def found(self) -> list:
        """The updates but the first, which may hold what was added up before."""
        return [
            Given(number, given, own, before, len(own))
            for number, ((before, _), (given, own)) in enumerate(zip(self.taken, self.taken[1:]), 2)
            if own and before.size == given.size
        ]


def _held_by(function) -> dict:
    """What the closure of one of MindSpore's gradient functions holds, by name."""
    function = getattr(function, "__func__", function)
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    return {name: cell.cell_contents for name, cell in zip(names, getattr(function, "__closure__", None) or ())}


def _weights_of(function) -> list:
    """The Parameters by which one of MindSpore's gradient functions differentiates, as its closure holds them; else none."""
    return [one for one in tensors_in([_held_by(function).get("weights")]) if hasattr(one, "requires_grad")]


def _sensitivity(function, args: tuple) -> float:
    """The number by which ``GradOperation(sens_param=True)`` multiplies the gradients of the loss, its last argument; 1 of any
    other."""
    if not args or getattr(_held_by(function).get("grad_"), "sens_param", False) is not True:
        return 1.0
    values = to_numpy(args[-1]) if hasattr(args[-1], "asnumpy") else np.asarray(args[-1])
    if values.dtype.kind not in "fiu" or not values.size or np.ptp(values) or not np.isfinite(values.flat[0]):
        return 1.0
    return float(values.flat[0]) or 1.0


class _At(NamedTuple):
    """As much of a `Node` as `place_of` looks at."""

    expression: object
    stack: tuple = ()
    cell_object: object = None


def _of_calls(material, seconds: float, values: Optional[dict] = None) -> _Calls:
    """``values``: what the parameters hold; else what they ended with."""
    began = busy_seconds()
    step = material.build(material.batches[0])
    trace = _Calls(step)
    if step.forward is not None:  # MindSpore's own training cell
        return trace
    with undisturbed(step.parameters, None, values, step.host_random), watched(trace):
        for number in range(_CALLS):
            material.build(material.batches[number % len(material.batches)]).run(trace, 1.0)
            trace.nodes.clear()
            spent = busy_seconds() - began
            if len(trace.taken) > _UPDATES or spent > (seconds if len(trace.taken) > 1 else _PATIENCE * seconds):
                break
    return trace


def _defined(material) -> Optional[dict]:
    if material.cell is not None:
        return place_of_class(type(material.cell))
    return place_of_code(getattr(getattr(material.function, "__func__", material.function), "__code__", None))


def _compared(one: Given) -> dict:
    """``given`` as ``factor`` times the sum of ``own`` and ``left`` times ``before``, by least squares."""
    own, before = np.sum(one.own, 0), one.before
    factor, left, rest = _fit(one.given, [own])[0], 0.0, _fit(one.given, [own])[1]
    if rest > _EXACT and before is not None and np.linalg.norm(before) > 0:
        (factor, left), rest = _fit(one.given, [own, before])
    norms = [float(np.linalg.norm(vector)) for vector in (one.given, own / len(one.own))]
    return {
        "update": one.number,
        "parts": one.parts,
        "last_alone": len(one.own) < one.parts,
        "factor": float(np.ravel(factor)[0]),
        "left": float(left),
        "rest": float(rest),
        "given_norm": norms[0],
        "computed_norm": norms[1],
    }


def _fit(given: np.ndarray, vectors: list) -> tuple:
    """``(factors, the rest as a share of what was given)``."""
    size = np.linalg.norm(given)
    if not np.isfinite(size) or size == 0 or not all(np.isfinite(v).all() for v in vectors):
        return np.zeros(len(vectors)), 0.0 if size == 0 else 1.0
    # of length 1 each: clipped gradients are many times smaller than those that were computed
    lengths = np.array([np.linalg.norm(vector) or 1.0 for vector in vectors])
    matrix = np.stack(vectors, 1) / lengths
    factors = np.linalg.lstsq(matrix, given, rcond=1e-6)[0]
    return factors / lengths, float(np.linalg.norm(given - matrix @ factors) / size)


def _sequence(value) -> list:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _matching(result, shapes: list):
    """The sequence of tensors of these shapes in what a gradient function gave; None: there is none."""
    items = _sequence(result)
    if [tuple(getattr(one, "shape", ("",))) for one in items] == shapes:
        return items
    return next((found for one in items if isinstance(one, (tuple, list)) and (found := _matching(one, shapes))), None)


def _flat(gradients) -> np.ndarray:
    found = flat_gradients(gradients)
    return found if found is not None else np.zeros(0)
