"""The terms of which a loss is the sum: what each comes to and the norm of its gradient, at the start and at the end; and, of
those that compare with targets, the best constant prediction."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.replay import ReplayedStep, ms_value_and_grad, undisturbed
from msprec.locate.trace import ancestors, to_numpy
from msprec.probe.loss.loss_parts import residuals
from msprec.probe.loss.loss_targets import Sources
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of, run_forward
from msprec.probe.steps.differentiated_function import with_forward
from msprec.probe.steps.numpy_losses import (
    BCE,
    BCE_LOGITS,
    L1,
    MSE,
    NLL,
    SOFTMAX,
    elements,
    equal_reduction,
    kind_called,
    reductions,
)
from msprec.record.nested import flatten, tensors_in
from msprec.runtime.busy_clock import busy_seconds

#: Terms, batches, elements of a prediction and weights that are looked at, at most; samples that a constant by element takes.
_MOST_TERMS, _MOST_BATCHES, _MOST_ELEMENTS, _MOST_WEIGHTS, _SAMPLES = 6, 4, 1 << 21, 1 << 24, 64
#: Most weights that are named.
_NAMED = 64
_ADDS, _SUBTRACTS = ("add", "addn", "iadd", "addext"), ("sub", "subtract", "subext")
_TIMES, _OVER = ("mul", "mult", "multiply", "muls"), ("div", "truediv", "realdiv")
_REDUCES = {"mean": "mean", "reducemean": "mean", "meanext": "mean", "sum": "sum", "reducesum": "sum", "sumext": "sum"}


class _Term(NamedTuple):
    """``factor`` times the ``value`` (reduced by "mean" or "sum", or a number as it is) is what is added up."""

    value: object
    factor: float
    reduce: Optional[str]

    @property
    def total(self):
        """The term as a tensor of one element."""
        value = self.value if self.reduce is None else getattr(self.value, self.reduce)()
        return value.reshape(()) * self.factor


class _Sum(NamedTuple):
    """Several terms as one, told by the first of them."""

    parts: list

    @property
    def value(self):
        """The tensor of the first."""
        return self.parts[0].value

    @property
    def total(self):
        """Their sum as a tensor of one element."""
        return sum(part.total for part in self.parts)


class _Fit(NamedTuple):
    """What a term compares: ``kind`` of the loss, predictions and targets."""

    kind: str
    predicted: np.ndarray
    targets: np.ndarray


def loss_terms(material, seconds: float) -> list:
    """The entry ``terms`` of ``probes.json``; empty where the loss is no sum, or its step cannot be taken apart.

    Args:
        material: What the run has left.
        seconds: The budget for batches; the gradients of one may take as long again, else there is no entry.
    """
    weights = material.weights
    if not weights or material.initial is None:
        return []
    until = busy_seconds() + seconds
    batches = [material.batches[int(at)] for at in np.linspace(0, len(material.batches) - 1, _MOST_BATCHES)]
    batches = list({id(one): one for one in batches}.values())
    if sum(one.size for one in weights) > _MOST_WEIGHTS:
        return []
    try:
        with material.as_in_training():
            moments = [_at(material, batches, weights, values, until, seconds) for values in (material.initial, None)]
    except _Late:
        return []
    if any(one is None for one in moments) or len({tuple(one["places"]) for one in moments}) != 1:
        return []
    start, end = moments
    return [
        {
            "place": end["shown"][i],
            "start": start["values"][i],
            "end": end["values"][i],
            "gradient_start": start["gradients"][i],
            "gradient_end": end["gradients"][i],
            "rest_start": start["rests"][i],
            "rest_end": end["rests"][i],
            "of_weights": end["of_weights"][i] or (not end["of_zeros"][i] and _stays(end["all_values"][i], batches)),
            "weighed_by_zero": end["of_zeros"][i] and not any((*start["all_values"][i], *end["all_values"][i])),
            "no_gradient": [name for name in end["no_gradient"][i] if name in start["no_gradient"][i]][:_NAMED],
            "fits": _fits(start["fits"][i], end["fits"][i]),
        }
        for i in range(len(end["values"]))
    ]


def _at(material, batches: list, weights: list, values: Optional[dict], until: float, grace: float) -> Optional[dict]:
    """Terms, values, gradient norms and fits with the weights ``values``."""
    found = None
    for batch in batches:
        if found is not None and busy_seconds() > until:
            break
        step: ReplayedStep = with_forward(material.build(batch, weights), weights)
        if step.forward is None:
            return None
        zeros, batch = {id(batch[i]) for i in _zero_inputs(material)}, step.inputs
        with undisturbed(step.parameters, None, values, step.host_random):
            trace, terms = _run(step, batch)
            if not 1 < len(terms) <= _MOST_TERMS:
                return None
            fits = [_compared(trace, term, batch) for term in terms]
            if found is None:
                found = {
                    "places": [str(_place(trace, term)) for term in terms],
                    "shown": [_place(trace, term) for term in terms],
                    "values": [float(to_numpy(term.total)) for term in terms],
                    "all_values": [[] for _ in terms],
                    "of_weights": [_is_of_weights(trace, term) for term in terms],
                    "of_zeros": [_is_given(trace, term, zeros) for term in terms],
                    **_gradients(step, batch, weights, len(terms), until, grace),
                    "fits": [[] for _ in terms],
                }
            if len(fits) == len(found["fits"]):
                for held, new, values_held, term in zip(found["fits"], fits, found["all_values"], terms):
                    held.append(new)
                    values_held.append(float(to_numpy(term.total)))
    return found


def _run(step: ReplayedStep, inputs: tuple) -> tuple:
    trace, result = run_forward(step, inputs)
    whole = next((one for one in tensors_in(result) if one.size == 1 and "Float" in str(one.dtype)), None)
    if whole is None:
        return trace, []
    terms = _terms(trace, whole, 1.0, None)
    return trace, terms if len(terms) <= _MOST_TERMS else _joined(trace, terms)


def _joined(trace: GraphTrace, terms: list) -> list:
    """The terms, those of the weights alone as one."""
    alone = [_is_of_weights(trace, term) for term in terms]
    penalties = [term for term, penalty in zip(terms, alone) if penalty]
    return [*(term for term, penalty in zip(terms, alone) if not penalty), *([_Sum(penalties)] if penalties else [])]


def _is_of_weights(trace: GraphTrace, term) -> bool:
    """Whether a term is computed from weights and single numbers alone, as a penalty of their size is."""
    given = [one for node in _within(trace, term) for one in node.inputs if id(one) not in trace.producers]
    kinds = {type(one).__name__ == "Parameter" for one in given if getattr(one, "size", 1) != 1}
    return kinds == {True}


def _stays(values: list, batches: list) -> bool:
    """Whether a term has one value on batches that differ: what Python's own ``sum`` adds up is not seen by `_is_of_weights`."""
    first, *others = [[to_numpy(one) for one in tensors_in(batch)] for batch in batches[: len(values)]]
    differ = any(not np.array_equal(a, b) for arrays in others for a, b in zip(first, arrays))
    return differ and float(np.ptp(values)) <= 1e-6 * max(map(abs, values))


def _zero_inputs(material) -> list:
    """Positions of single real numbers that the step was given and that were 0 in all batches that were held, to the second half
    of the training."""
    batches = [*material.batches, *material.later]
    if not material.later and material.offered > len(material.batches):
        return []
    first = batches[0] if batches else ()
    single = [
        i for i, one in enumerate(first) if getattr(one, "size", 0) == 1 and "Float" in str(getattr(one, "dtype", ""))
    ]
    return [i for i in single if all(len(one) > i and not to_numpy(one[i]).any() for one in batches)]


def _is_given(trace: GraphTrace, term, held: set) -> bool:
    """Whether one of some tensors goes into a term."""
    return any(id(one) in held for node in _within(trace, term) for one in node.inputs)


def _within(trace: GraphTrace, term) -> list:
    """The nodes that a term was computed by."""
    return list(ancestors([_producer(trace, term.value)], within=True))


def _terms(trace: GraphTrace, value, factor: float, reduce: Optional[str]) -> list:
    """What ``value`` is the sum of."""
    node = _producer(trace, value)
    name = plain_name(node) if node is not None else ""
    if node is None or not node.inputs:
        return [_Term(value, factor, reduce)]
    if name in (*_ADDS, *_SUBTRACTS):
        if len(node.inputs) == 2 and all(one.shape == value.shape for one in node.inputs):
            signs = (factor, -factor if name in _SUBTRACTS else factor)
            return [term for one, sign in zip(node.inputs, signs) for term in _terms(trace, one, sign, reduce)]
        if len(node.inputs) == 1 and node.inputs[0].shape == value.shape:  # a number was added
            return _terms(trace, node.inputs[0], factor, reduce)
    number = _number(node) if name in (*_TIMES, *_OVER) and len(node.inputs) == 1 else None
    if number and node.inputs[0].shape == value.shape:
        scaled = factor * number if name in _TIMES else factor / number
        inside = _terms(trace, node.inputs[0], scaled, reduce)
        return inside if len(inside) > 1 else [_Term(value, factor, reduce)]
    if name in _REDUCES and reduce is None and value.size == 1 and len(node.inputs) == 1:
        inside = _terms(trace, node.inputs[0], factor, _REDUCES[name])
        return inside if len(inside) > 1 else [_Term(value, factor, None)]
    return [_Term(value, factor, reduce)]


def _producer(trace: GraphTrace, value):
    """The innermost node that gave a tensor, not the cell around it."""
    node = trace.producers.get(id(value))
    while node is not None and node.inner:
        inner = next((one for one in reversed(node.inner) if any(r is value for r in one.results)), None)
        if inner is None:
            return node
        node = inner
    return node


def _number(node) -> Optional[float]:
    """The plain number that a tensor was multiplied with or divided by; None of a number over a tensor."""
    numbers = [float(one) for one in flatten(node.arguments) if isinstance(one, (int, float))]
    over = plain_name(node) in _OVER and isinstance(next(iter(flatten(node.arguments)), None), (int, float))
    return numbers[0] if len(numbers) == 1 and not over else None


def _place(trace: GraphTrace, term: _Term) -> Optional[dict]:
    node = _producer(trace, term.value)
    return place_of(node) if node is not None else None


class _Late(Exception):
    """The budget is spent."""


def _gradients(step: ReplayedStep, inputs: tuple, weights: list, count: int, until: float, grace: float) -> dict:
    """The norm of each term's gradient, and of the gradients of all other terms together; the weights to which it is zero."""
    vectors = []
    for number in range(count):
        if busy_seconds() > until + grace:
            raise _Late
        vectors.append(_gradient(step, inputs, weights, number))
    whole = np.sum(vectors, axis=0)
    return {
        "gradients": [float(np.linalg.norm(one)) for one in vectors],
        "rests": [float(np.linalg.norm(whole - one)) for one in vectors],
        "no_gradient": [_zero(one, weights) for one in vectors],
    }


def _zero(gradient: np.ndarray, weights: list) -> list:
    """The names of the weights whose part of a gradient is zero."""
    parts = np.split(gradient, np.cumsum([one.size for one in weights])[:-1])
    return [weight.name for weight, part in zip(weights, parts) if not part.any()]


def _gradient(step: ReplayedStep, inputs: tuple, weights: list, number: int) -> np.ndarray:
    """One term's gradient, of all weights in a row."""

    def term(*given):
        return _run(step, given)[1][number].total

    gradients = ms_value_and_grad(term, weights)(*inputs)[1]
    return np.concatenate([to_numpy(one).astype(np.float64).reshape(-1) for one in tensors_in(gradients)])


def _compared(trace: GraphTrace, term: _Term, batch: tuple) -> list:
    """The comparisons with targets that are within a term: none where it holds other learnt parts."""
    within = {id(one) for one in _within(trace, term)}
    found, sources = [], Sources(batch, [batch])
    for one in trace.nodes:
        kind = kind_called(one.callee) if id(one) in within else None
        if kind in (SOFTMAX, NLL, BCE, BCE_LOGITS, MSE, L1) and len(one.inputs) > 1:
            fit = _Fit(kind, to_numpy(one.inputs[0]), to_numpy(one.inputs[1]))
            if not _is_plain(one, fit):
                return []
            found.append(fit)
    if not found:
        found = [
            _Fit(MSE, to_numpy(prediction), to_numpy(target))
            for one, prediction, target in residuals(trace, sources)
            if id(one) in within
        ]
    sound = [one for one in found if one.predicted.size <= _MOST_ELEMENTS and not _of_another_network(one)]
    fitting = [one for one in sound if sources.find(one.targets) is not None]
    return fitting if len(fitting) == len(found) else []


def _of_another_network(fit: _Fit) -> bool:
    """Whether values are held against shares of classes that are not all 0 or 1, as a network gives them: such a target moves
    with that network, and a term that keeps two networks alike has to come below no constant."""
    rows = fit.targets
    shares = fit.kind in (MSE, L1) and rows.ndim == 2 and rows.shape[1] > 1 and bool((rows >= 0).all())
    return shares and bool(np.allclose(rows.sum(1), 1, atol=1e-3)) and not np.isin(rows, (0, 1)).all()


def _is_plain(node, fit: _Fit) -> bool:
    """Whether a loss gives what its formula makes of its two inputs: no weights of classes or positives, nothing left out."""
    each, result = elements(*fit), to_numpy(node.results[0]) if node.results else None
    if each is None or result is None or not each.size:
        return False
    if result.size == 1:
        return equal_reduction(float(result.reshape(())), reductions(each)) is not None
    return result.size == each.size and bool(np.allclose(result.reshape(-1), each.reshape(-1), rtol=1e-2, atol=1e-4))


def _fits(start: list, end: list) -> list:
    """``[{"kind", "start", "end", "constant", "samples"}, …]`` over all batches."""
    found = []
    for at in range(min((len(one) for one in end), default=0)):
        kind = end[0][at].kind
        pairs = [[one[at] for one in moment if len(one) > at and one[at].kind == kind] for moment in (start, end)]
        values = [_mean([elements(kind, one.predicted, one.targets) for one in fits]) for fits in pairs]
        constant, samples = _constant(kind, [(one.predicted, one.targets) for one in pairs[1]])
        found.append({"kind": kind, "start": values[0], "end": values[1], "constant": constant, "samples": samples})
    return found


def _mean(parts: list) -> Optional[float]:
    known = [one.reshape(-1) for one in parts if one is not None and one.size]
    return float(np.concatenate(known).mean()) if len(known) == len(parts) and known else None


def _constant(kind: str, pairs: list) -> tuple:
    """``(mean loss of the best prediction that does not look at the inputs, samples)``."""
    targets = [one for _, one in pairs]
    samples = sum(len(one) for one in targets if one.ndim)
    if kind in (SOFTMAX, NLL):
        counts = _classes(targets)
        if counts is None:
            return None, samples
        shares = counts[counts > 0] / counts.sum()
        return float(-(shares * np.log(shares)).sum()), samples
    if len({one.shape[1:] for one in targets}) > 1 or not samples:
        return None, samples
    whole = np.concatenate(targets).astype(np.float64)
    axis = 0 if samples >= _SAMPLES else None
    middle = np.median(whole, axis) if kind == L1 else whole.mean(axis)
    if kind in (BCE, BCE_LOGITS):
        middle = np.clip(middle, 1e-7, 1 - 1e-7)
        each = -(whole * np.log(middle) + (1 - whole) * np.log(1 - middle))
    else:
        each = np.abs(whole - middle) if kind == L1 else (whole - middle) ** 2
    return float(each.mean()), samples


def _classes(targets: list) -> Optional[np.ndarray]:
    """How often each class occurs: of class numbers, or of rows that hold the share of each; None of anything else."""
    if all(one.dtype.kind in "iu" for one in targets):
        return np.unique(np.concatenate([one.reshape(-1) for one in targets]), return_counts=True)[1]
    if any(one.ndim != 2 or (one < 0).any() or not np.allclose(one.sum(1), 1, atol=1e-3) for one in targets):
        return None
    return np.concatenate(targets).astype(np.float64).sum(0)
