"""What the units of a network give on the captured batches, with the weights of the start, the middle and the end.

Only forward passes run. Facts are kept by unit: the elements of a result along its axis of channels or features.
"""

from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.replay import ReplayedStep, undisturbed
from msprec.locate.trace import Node, to_numpy
from msprec.probe.steps.attainable_range import operator_place, plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, run_forward
from msprec.probe.steps.producing_operator import CARRIERS
from msprec.record.nested import flatten, tensors_in
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import is_loss_class, is_optimizer_class

#: So many of the captured batches are run, and so many elements of a batch's result are looked at.
MOST_BATCHES, MOST_ELEMENTS = 6, 1 << 22
#: More batches are run where they hold fewer samples than this.
ENOUGH = 128
#: A unit that gives less than this is off: a GELU does not reach zero.
_OFF = 1e-6
#: Values that count as saturated: there the slope of tanh is below 2 % of its largest, that of sigmoid below 4 %.
_FLAT = {"tanh": (-0.99, 0.99), "sigmoid": (0.01, 0.99)}
#: The largest probability of a softmax that counts as saturated; scores this far down are masked.
_SURE, _MASKED = 0.99, -1e3
#: All samples are alike where they differ by less than this share of the largest value (float32 has 7 digits).
_ALIKE = 1e-5
_RELU = ("relu", "relu6", "gelu", "silu", "swish", "hardswish", "hswish", "mish")
MOST_OVERFLOWS = 4
_KINDS = {**dict.fromkeys(_RELU, "relu"), "tanh": "tanh", "sigmoid": "sigmoid", "softmax": "softmax"}
_MATMULS = ("matmul", "batchmatmul", "bmm", "mm", "addmm", "matmult", "dense", "linear")
#: Operators that can leave float16's range (65 504) on finite values; places that are told.
_OVERFLOWING = (
    *_MATMULS,
    "mul",
    "mult",
    "multiply",
    "square",
    "pow",
    "tensorpow",
    "sum",
    "reducesum",
    "mean",
    "reducemean",
    "exp",
    "add",
    "conv1d",
    "conv2d",
    "conv3d",
    "norm",
    "var",
    "std",
    "cumsum",
)
_PRODUCTS = ("mul", "mult", "multiply")
_PASSED = (*CARRIERS, "dropout", "dropout1d", "dropout2d", "dropout3d")


class Tally:
    """What one activation or layer gave on all batches with the same weights.

    ``low`` and ``high``: the least and greatest value of each element over the samples; ``counts``: elements seen,
    those that are off and those that are saturated; ``sides``: by unit, elements at the lower and the upper end.
    """

    def __init__(self, node: Node, kind: str, axis: int) -> None:
        self.node, self.kind, self.axis = node, kind, axis
        self.low = self.high = self.given_low = self.given_high = None
        self.seen = self.off = self.saturated = self.samples = self.rows = 0
        self.sides = np.zeros(0)
        self._sum, self._squares, self._rows = None, 0.0, 0
        #: Whether it is a factor of a product; a layer comes after it; a layer comes before it, with nothing between; its
        #: input was made larger on purpose
        self.gate = self.hidden = self.direct = self.sharpened = False

    def add(self, values: np.ndarray, given: Optional[np.ndarray], batch: int) -> None:
        """One more result, of a batch of so many samples, and what it was made of."""
        values = values.astype(np.float64, copy=False)
        self.samples += batch
        if self.kind == "softmax":
            self._count_rows(values, given)
        if self.kind == "layer":
            self._add_spread(values, batch)
        self.low, self.high = _extremes(self.low, self.high, values, batch, self.axis)
        if given is not None and given.dtype.kind == "f":
            self.given_low, self.given_high = _extremes(self.given_low, self.given_high, given, batch, given.ndim - 1)
        self.seen += values.size
        self.off += int((np.abs(values) <= _OFF).sum())
        if self.kind in _FLAT:
            others = tuple(at for at in range(values.ndim) if at != self.axis)
            low, high = (values < _FLAT[self.kind][0]), (values > _FLAT[self.kind][1])
            sides = np.stack([low.sum(others), high.sum(others)])
            self.sides = (
                sides if not self.sides.size else self.sides + sides if sides.shape == self.sides.shape else sides
            )
            self.saturated += int(low.sum() + high.sum())

    def _count_rows(self, values: np.ndarray, given: Optional[np.ndarray]) -> None:
        """Of the rows of a softmax with two scores or more that are not masked, those with one sure winner."""
        open_ = (
            np.moveaxis(given, self.axis, -1) > _MASKED if given is not None and given.shape == values.shape else None
        )
        rows = np.moveaxis(values, self.axis, -1)
        choice = np.ones(rows.shape[:-1], bool) if open_ is None else open_.sum(-1) > 1
        self.rows += int(choice.sum())
        self.saturated += int(((rows.max(-1) > _SURE) & choice).sum())

    def _add_spread(self, values: np.ndarray, batch: int) -> None:
        rows = values.reshape(batch, -1) if values.shape[0] == batch else values.reshape(-1, values.shape[-1])
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if rows.shape[1] < 2 or not lengths.all():
            return
        rows = (
            rows / lengths
        )  # the size of an output tells samples apart where its direction does not: a cosine ignores it
        if self._sum is None or self._sum.shape == rows.shape[1:]:
            self._sum = rows.sum(0) + (0.0 if self._sum is None else self._sum)
            self._squares += float((rows**2).sum())
            self._rows += len(rows)

    def _spread(self) -> Optional[float]:
        """Root mean square distance of the samples' directions from their mean direction: 0 where all are one, 1 "
        "where they cancel."""
        if self._sum is None or self._rows < 2 or not self._squares > 0:
            return None
        return max(0.0, 1 - float(self._sum @ self._sum) / self._rows / self._squares) ** 0.5

    def _weight(self) -> Optional[str]:
        """The name of the parameter that an operator is given for its weights."""
        given = [one for one in self.node.inputs if type(one).__name__ == "Parameter" and one.ndim > 1]
        return given[0].name if given and self.kind == "layer" else None

    def facts(self) -> dict:
        """One entry of ``units`` in ``probes.json``."""
        low, high = (_by_unit(one, self.axis, how) for one, how in ((self.low, np.min), (self.high, np.max)))
        units = low.size
        whole = self.rows if self.kind == "softmax" else self.seen
        stuck = (self.sides * units >= self.seen).any(0).sum() if self.kind in _FLAT else None
        return {
            "kind": self.kind,
            "operator": self.node.callee,
            "cell": self.node.cell,
            "place": operator_place(self.node),
            "created": created_place(self.node.cell_object) if self.node.cell_object is not None else None,
            "weight": self._weight(),
            "units": units,
            "samples": self.samples,
            "dead": int((np.maximum(np.abs(low), np.abs(high)) <= _OFF).sum()) if self.kind == "relu" else None,
            "zeros": _share(self.off, self.seen) if self.kind == "relu" else None,
            "saturated": _share(self.saturated, whole) if self.kind in ("sigmoid", "tanh", "softmax") else None,
            "stuck": None if stuck is None else int(stuck),
            "spread": self._spread(),
            "range": float(np.sqrt(np.mean(np.square(self.high - self.low)))) if self.kind == "layer" else None,
            "alike": int(_alike(self.low, self.high, self.axis).sum()),
            "input_alike": None
            if self.given_low is None
            else bool(_alike(self.given_low, self.given_high, self.given_low.ndim - 1).all()),
            "hidden": self.hidden,
            "direct": self.direct,
            "gate": self.gate,
            "sharpened": self.sharpened,
        }


class _Moment(NamedTuple):
    name: str
    step: int
    weights: Optional[dict]


def unit_facts(material, seconds: float) -> dict:
    """The entry ``units`` of ``probes.json``.

    Args:
        material: What the run has left.
        seconds: The budget; of each moment one batch is run whatever it takes.
    """
    began, moments = busy_seconds(), []
    batches, known = _chosen([*material.batches, *material.later]), _moments(material)
    for number, moment in enumerate(known):
        tallies, samples, run, overflows = {}, 0, 0, {}
        with material.as_in_training():
            for batch in batches:
                if run and busy_seconds() - began > seconds * (number + 1) / len(known):
                    break
                samples += _tally(material.build(batch), batch, moment.weights, tallies, overflows)
                run += 1
        entries = [tally.facts() for tally in tallies.values()]
        moments.append(
            {
                "moment": moment.name,
                "step": moment.step,
                "batches": run,
                "samples": samples,
                "entries": entries,
                "overflows": list(overflows.values())[:MOST_OVERFLOWS],
            }
        )
    return {"moments": moments}


def _moments(material) -> list:
    found = [_Moment("end", material.before + material.offered, None)]
    middle = material.middle()
    if middle is not None:
        found.insert(0, _Moment("middle", *middle))
    if material.initial is not None:
        found.insert(0, _Moment("start", material.before + 1, material.initial))
    return found


def _chosen(batches: list) -> list:
    """`MOST_BATCHES` of them, of small ones as many as hold `ENOUGH` samples, spread evenly."""
    wanted = max(MOST_BATCHES, -(-ENOUGH // max(_batch_size(batches[0]), 1)))
    at = np.unique(np.linspace(0, len(batches) - 1, min(wanted, len(batches))).astype(int))
    return [batches[i] for i in at]


def _tally(step: ReplayedStep, batch: tuple, weights: Optional[dict], tallies: dict, overflows: dict) -> int:
    """Runs a batch forward and adds what each activation and layer gave, and where float16 overflowed. Returns the batch's
    number of samples."""
    with undisturbed(step.parameters, None, weights, step.host_random):
        trace, _ = run_forward(step)
        size = _batch_size(batch)
        _read(trace, size, tallies)
        for found in float16_overflows(trace):
            overflows.setdefault(str(found["place"]), found)
    return size


def float16_overflows(trace: GraphTrace) -> list:
    """``[{"operator", "cell", "place", "share"}, …]`` of the operations that made an infinity above 0 in float16 out of finite
    values: products, powers, sums and layers. Masks are filled with -inf on purpose, and the loss is scaled: neither counts."""
    found = []
    for node in trace.nodes:
        if (
            not any(node.bad)
            or any(node.bad_inputs)
            or plain_name(node) not in _OVERFLOWING
            or any(any(inner.bad) for inner in node.inner)
        ):
            continue
        for result in node.results:
            if str(result.dtype) == "Float16" and result.size > 1 and not _in_loss(node):
                share = float(np.isposinf(to_numpy(result)).mean())
                if share > 0:
                    place = operator_place(node)
                    found.append({"operator": node.callee, "cell": node.cell, "place": place, "share": share})
    return found


def _batch_size(batch: tuple) -> int:
    first = next((value for value in tensors_in(batch) if value.ndim), None)
    return int(first.shape[0]) if first is not None else 1


def _read(trace: GraphTrace, batch: int, tallies: dict) -> None:
    consumers, layers, seen = {}, set(), {}
    for node in trace.nodes:
        for source in node.sources:
            consumers.setdefault(id(source), []).append(node)
        if _is_layer(node):
            layers.add(id(node))
    for node in trace.nodes:
        kind = "layer" if id(node) in layers else _KINDS.get(plain_name(node))
        if kind is None or not node.results or not node.inputs or _in_loss(node):
            continue
        result = node.results[0]
        if "Float" not in str(result.dtype) or not result.ndim or not 0 < result.size <= MOST_ELEMENTS:
            continue
        if kind == "softmax" and result.ndim < 2:
            continue
        values = to_numpy(result)
        values = values.reshape(-1, 1) if values.ndim == 1 else values
        if any(id(inner) in seen and inner.results[0] is result and kind != "layer" for inner in node.inner):
            continue  # a cell around an activation that is told already
        at = (node.cell, node.callee, _line(node))
        number = sum(key[:3] == at for key in seen.values())
        key = seen[id(node)] = (*at, number)
        tally = tallies.get(key)
        if tally is None:
            tally = tallies[key] = Tally(node, kind, _axis(node, kind, values))
            tally.hidden = any(id(one) in layers for one in _after(node, consumers))
            tally.direct = _directly_of_layer(node, layers)
            tally.gate = _multiplied(node, consumers)
            tally.sharpened = _sharpened(node)
        if values.ndim > tally.axis:
            tally.add(values, _given(node), batch)


def _given(node: Node) -> Optional[np.ndarray]:
    """What it was made of, with two axes or more; None where it is too large."""
    first = node.inputs[0]
    if not 0 < first.size <= MOST_ELEMENTS or not first.ndim:
        return None
    given = to_numpy(first)
    return given.reshape(-1, 1) if given.ndim == 1 else given


def _directly_of_layer(node: Node, layers: set) -> bool:
    """Whether it is given what a layer gave, or that normalised."""
    while node.sources:
        node = node.sources[0]
        if id(node) in layers:
            return True
        if node.callee.lower() not in _PASSED and "norm" not in plain_name(node):
            return False
    return False


def _line(node: Node):
    expression = node.expression
    return (expression.file, expression.line, expression.column) if expression is not None else None


def _in_loss(node: Node) -> bool:
    cell = node.cell_object
    return cell is not None and (is_loss_class(type(cell)) or is_optimizer_class(type(cell)))


def _is_layer(node: Node) -> bool:
    """Whether it multiplies with weights: a cell of MindSpore's with a trained matrix, or a product with a Parameter."""
    cell = node.cell_object
    if cell is not None:
        own = [p for p in cell._params.values() if p is not None and p.requires_grad and p.ndim > 1]
        return bool(own) and not plain_name(node).startswith("embedding")
    name = plain_name(node)
    weighs = name in _MATMULS or name.startswith("conv")
    return weighs and any(type(one).__name__ == "Parameter" and one.ndim > 1 for one in node.inputs)


def _axis(node: Node, kind: str, values: np.ndarray) -> int:
    """The axis of units: that of channels after a convolution, else the last; of a softmax that which it sums over."""
    if kind == "softmax":
        sums = [axis for axis in range(values.ndim) if np.abs(values.sum(axis) - 1).max() <= 1e-2]
        return sums[-1] if sums else values.ndim - 1
    if values.ndim == 2:
        return 1
    source, steps = node, 0
    while source is not None and steps < 12:
        name = plain_name(source)
        if name.startswith("conv"):
            return 1
        if name in _MATMULS:
            return values.ndim - 1
        source, steps = (source.sources[0] if source.sources else None), steps + 1
    return 1 if values.ndim > 3 else values.ndim - 1


def _after(node: Node, consumers: dict) -> list:
    """All nodes that take what it gives, however far on."""
    waiting, found, known = [node, *node.inner], [], {id(node)}
    while waiting:
        for one in consumers.get(id(waiting.pop()), ()):
            if id(one) not in known:
                known.add(id(one))
                found.append(one)
                waiting.append(one)
    return found


def _multiplied(node: Node, consumers: dict) -> bool:
    """Whether its result, as it is, is a factor of a product element by element: a gate."""
    waiting, known = [node], set()
    while waiting:
        one = waiting.pop()
        for taker in consumers.get(id(one), ()):
            if plain_name(taker) in _PRODUCTS and len(taker.inputs) > 1:
                return True
            if taker.callee.lower() in _PASSED and id(taker) not in known:
                known.add(id(taker))
                waiting.append(taker)
    return False


def _sharpened(node: Node) -> bool:
    """Whether its input was divided by less than 1 or multiplied by more: a temperature, chosen by the user."""
    for source in node.sources[:1]:
        name = plain_name(source)
        numbers = [abs(one) for one in flatten(source.arguments) if isinstance(one, (int, float))]
        if name in ("div", "truediv", "realdiv") and any(one < 1 for one in numbers):
            return True
        if name in _PRODUCTS and any(one > 1 for one in numbers):
            return True
    return False


def _extremes(low, high, values: np.ndarray, batch: int, axis: int) -> tuple:
    """The least and greatest value of each element over samples, joined to those before."""
    if values.shape[0] == batch and values.ndim > 1:
        one, other = values.min(0, keepdims=True), values.max(0, keepdims=True)
    else:  # the samples are not its first axis: over all but the units
        rest = tuple(at for at in range(values.ndim) if at != axis)
        one, other = values.min(rest, keepdims=True), values.max(rest, keepdims=True)
    if low is None:
        return one, other
    if low.shape != one.shape:  # batches of other lengths
        low, one = (_by_unit(x, axis, np.min, True) for x in (low, one))
        high, other = (_by_unit(x, axis, np.max, True) for x in (high, other))
        if low.shape != one.shape:
            return one, other
    return np.minimum(low, one), np.maximum(high, other)


def _by_unit(values: np.ndarray, axis: int, how, keep: bool = False) -> np.ndarray:
    return how(values, axis=tuple(at for at in range(values.ndim) if at != axis), keepdims=keep)


def _alike(low: np.ndarray, high: np.ndarray, axis: int) -> np.ndarray:
    """By unit, whether all samples give the same at each of its elements."""
    largest = _by_unit(np.maximum(np.abs(low), np.abs(high)), axis, np.max)
    return _by_unit(high - low, axis, np.max) <= _ALIKE * largest


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
