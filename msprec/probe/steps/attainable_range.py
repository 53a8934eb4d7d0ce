"""Which values the output that enters a loss can take at all, by the operators that made it.

An activation bounds what comes after it until something with weights does: sigmoid gives values in [0, 1], whatever
is learnt. Ranges are those of the formulas in MindSpore's API pages.
"""

import math
from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.loss_input_statistics import one_hot_rows
from msprec.probe.steps.producing_operator import CARRIERS, producer_of
from msprec.runtime.cell_origins import created_place

_INF = math.inf
#: The values that an operator can give, by its name in small letters without underscores.
RANGES = {
    **dict.fromkeys(("sigmoid", "hsigmoid", "hardsigmoid", "softmax"), (0.0, 1.0)),
    **dict.fromkeys(("tanh", "softsign", "sin", "cos", "erf", "cosinesimilarity", "cosine"), (-1.0, 1.0)),
    **dict.fromkeys(("normalize", "l2normalize"), (-1.0, 1.0)),
    **dict.fromkeys(("relu", "softplus", "exp", "abs", "square", "sqrt", "norm"), (0.0, _INF)),
    "relu6": (0.0, 6.0),
    "elu": (-1.0, _INF),
    "celu": (-1.0, _INF),
    "selu": (-1.7581, _INF),
    "gelu": (-0.17, _INF),
    "silu": (-0.2785, _INF),
    "swish": (-0.2785, _INF),
    "mish": (-0.3089, _INF),
    "hardswish": (-0.375, _INF),
    "hswish": (-0.375, _INF),
    **dict.fromkeys(("logsoftmax", "logsigmoid"), (-_INF, 0.0)),
}
#: What never falls as its input grows: of an input in a narrower range it gives what lies between the values at its ends.
_RISING = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "softplus": lambda x: np.logaddexp(0.0, x),
    "relu": lambda x: np.maximum(x, 0.0),
    "relu6": lambda x: np.clip(x, 0.0, 6.0),
}
#: Activations whose slope is 0 over a half-line, so that an output there learns nothing.
_FLAT = ("relu", "relu6", "hardtanh", "hsigmoid", "hardsigmoid")
#: Their results are steps: no gradient goes through them.
_STEPS = ("argmax", "argmin", "round", "sign", "floor", "ceil", "onehot", "rint", "trunc")
_CLAMPS = ("clamp", "clip", "clipbyvalue", "hardtanh", "maximum", "minimum")
#: Layers whose results are any real numbers.
_LINEAR = ("dense", "linear", "matmul", "bmm", "biasadd", "addmm", "layernorm", "groupnorm", "embedding")
_PRODUCTS = ("matmul", "bmm", "mm")
_LINEAR_STARTS = ("conv", "batchnorm", "bidense", "_conv")
#: Results within the range of what is given: averages and selections.
_WITHIN = ("mean", "reducemean", "max", "min", "amax", "amin", "reducemax", "upsample", "interpolate", "median", "pad")
_SUMS = ("sum", "reducesum")
_POOLS = ("avgpool", "maxpool", "adaptiveavgpool", "adaptivemaxpool", "resize")
#: They select or repeat, beside those that `producing_operator` looks past.
_SELECTS: tuple = (
    "split",
    "chunk",
    "gather",
    "gatherd",
    "gatherelements",
    "takealongaxis",
    "slice",
    "narrow",
    "indexselect",
)
_SELECTS += ("stopgradient", "detach", "broadcastto", "expand", "tile", "repeat", "unbind", "moveaxis", "movedim", "t")
_SHIFTS = ("add", "sub", "mult", "mul", "div", "truediv", "usub", "neg", "realdiv", "addext", "subext", "multiply")
_JOINS = ("cat", "concat", "stack", "concatenate", "hstack", "vstack")
_CLOSE = 2e-3
#: How far the length of a vector that was normalised may be from 1.
_UNIT = 1e-3


class Output(NamedTuple):
    """What is known of an output; ``low`` and ``high`` are infinite where nothing bounds it.

    ``node``: the operator that bounds it, or made it; ``plain``: whether it does so without anything after it but a
    change of shape; ``linear``: whether it is the result of a layer with weights; ``before``: the operator in front of it that
    leaves it a part of its own range only.
    """

    node: Optional[Node]
    low: float = -_INF
    high: float = _INF
    plain: bool = True
    linear: bool = False
    before: Optional[Node] = None


def plain_name(node: Node) -> str:
    """The name of an operator, whichever way it was called: ``nn.LogSoftmax``, ``ops.log_softmax``, ``mint…``."""
    name = node.callee.lower().rstrip("_").replace("_", "")
    for suffix in ("opextended", "ext", "cell"):
        name = name[: -len(suffix)] if name.endswith(suffix) and len(name) > len(suffix) + 2 else name
    return name


def output_of(trace: GraphTrace, value, depth: int = 40) -> Output:
    """What bounds a tensor: the nearest operator with a range, past those that keep it."""
    node = _node_of(trace, value)
    if node is None or depth == 0:
        return Output(None)
    name = plain_name(node)
    if node.callee.lower().startswith("_outputto") and node.inner:  # what mixed precision puts around a network
        return output_of(trace, node.inner[-1].results[0], depth - 1) if node.inner[-1].results else Output(node)
    if name in _STEPS:
        return Output(node, *_observed(node))
    if name in _CLAMPS and not (name in ("maximum", "minimum") and len(node.inputs) > 1):
        return _clamped(trace, node, depth)
    if name in ("exp", "abs", "square") or (name == "pow" and _even_power(node)):
        return _through(trace, node, name, depth)
    if name in _SUMS and node.inputs:
        picked = _picked_from(trace, node)
        if picked is not None:
            return output_of(trace, picked, depth - 1)
        return _summed(output_of(trace, node.inputs[0], depth - 1), node)
    if name in _RISING and node.inputs:
        return _rising(output_of(trace, node.inputs[0], depth - 1), node, name)
    if name in RANGES:
        return Output(node, *RANGES[name])
    if name in _PRODUCTS and _of_unit_vectors(node):
        return Output(node, -1.0, 1.0)
    if name in _LINEAR or name.startswith(_LINEAR_STARTS):
        return Output(node, linear=True)
    keeps = node.callee.lower() in CARRIERS or name in _SELECTS
    if keeps and node.inputs and trace.producers.get(id(node.inputs[0])) is not None:
        return output_of(trace, node.inputs[0], depth - 1)
    if (name in _WITHIN or name.startswith(_POOLS)) and node.inputs:
        return output_of(trace, node.inputs[0], depth - 1)._replace(plain=False)
    if name == "dropout" and node.inputs:
        found = output_of(trace, node.inputs[0], depth - 1)
        return found._replace(plain=False) if (found.low, found.high) == (0, _INF) else Output(node)
    if name in _JOINS or (name in ("maximum", "minimum") and len(node.inputs) > 1):
        return _joined(trace, node, depth)
    if name in _SHIFTS:
        return _shifted(trace, node, depth)
    return Output(node)


def _of_unit_vectors(node: Node) -> bool:
    """Whether a product of matrices is of vectors of length 1 on either side, which gives their cosines."""
    if len(node.inputs) != 2 or not all(one.ndim > 1 for one in node.inputs):
        return False
    first, second = map(to_numpy, node.inputs)
    if first.shape[-1] != second.shape[-2] or first.shape[-1] < 2:
        return False
    lengths = (np.linalg.norm(first, axis=-1), np.linalg.norm(second, axis=-2))
    return all(bool((np.abs(one - 1) < _UNIT).all()) for one in lengths)


def _node_of(trace: GraphTrace, value) -> Optional[Node]:
    """The innermost node that gave a tensor; a cell of MindSpore's whose range is known, where it did."""
    innermost = producer_of(trace, value)
    if innermost is None or plain_name(innermost) in RANGES:
        return innermost
    around = (node for node in trace.nodes if any(one is value for one in node.results))
    return next((node for node in around if plain_name(node) in RANGES), innermost)


def _observed(node: Node) -> tuple:
    values = to_numpy(node.results[0]) if node.results else np.zeros(0)
    return (float(values.min()), float(values.max())) if values.size else (-_INF, _INF)


def _numbers(node: Node) -> list:
    """The plain numbers that an operator was given, in order; None for those left out."""
    given, named = node.arguments
    rest = [one for one in given if one is None or (isinstance(one, (int, float)) and not isinstance(one, bool))]
    low = next((named[k] for k in ("min", "clip_value_min", "min_val", "a_min") if k in named), None)
    high = next((named[k] for k in ("max", "clip_value_max", "max_val", "a_max") if k in named), None)
    return [*rest, *([None] * (2 - len(rest)))] if rest else [low, high]


def _clamped(trace: GraphTrace, node: Node, depth: int) -> Output:
    name, numbers = plain_name(node), [_scalar(one) for one in _numbers(node)]
    inside = output_of(trace, node.inputs[0], depth - 1) if node.inputs else Output(None)
    if name == "hardtanh":
        held = getattr(node.cell_object, "__dict__", {})
        numbers = [held.get("min_val", numbers[0]), held.get("max_val", numbers[1])]
        numbers = [-1.0 if numbers[0] is None else numbers[0], 1.0 if numbers[1] is None else numbers[1]]
    elif name in ("maximum", "minimum"):
        one = next((x for x in numbers if x is not None), None)
        numbers = [one, None] if name == "maximum" else [None, one]
    low = inside.low if numbers[0] is None else max(inside.low, float(numbers[0]))
    high = inside.high if numbers[1] is None else min(inside.high, float(numbers[1]))
    # clipping at the far ends of a range that an activation gave, against log(0), changes nothing worth telling
    kept = inside.node is not None and not inside.linear and inside.low > -_INF and inside.high < _INF
    if kept and low <= inside.low + 0.05 and high >= inside.high - 0.05:
        return inside._replace(low=low, high=high)
    return Output(node, low, high)


def _scalar(value) -> Optional[float]:
    if value is None or isinstance(value, (int, float)):
        return value
    return float(to_numpy(value).reshape(-1)[0]) if getattr(value, "size", 0) == 1 else None


def _through(trace: GraphTrace, node: Node, name: str, depth: int) -> Output:
    inside = output_of(trace, node.inputs[0], depth - 1) if node.inputs else Output(None)
    with np.errstate(over="ignore"):
        if name == "exp":
            return Output(node, float(np.exp(inside.low)), float(np.exp(inside.high)))
    far = max(abs(inside.low), abs(inside.high))
    near = 0.0 if inside.low <= 0 <= inside.high else min(abs(inside.low), abs(inside.high))
    power = 1 if name == "abs" else 2 if name == "square" else _even_power(node)
    return Output(node, near**power, far**power)


def _rising(inside: Output, node: Node, name: str) -> Output:
    """Its own range, or the part of it that its input leaves: sigmoid of what went through relu lies in [0.5, 1]."""
    low, high = RANGES[name]
    with np.errstate(over="ignore"):
        if inside.low > -_INF:
            low = float(_RISING[name](np.float64(inside.low)))
        if inside.high < _INF:
            high = float(_RISING[name](np.float64(inside.high)))
    return Output(node, low, high, before=inside.node if (low, high) != RANGES[name] else None)


def _even_power(node: Node) -> int:
    """The exponent of a power, where it is an even number above 0; else 0."""
    found = next((one for one in map(_scalar, node.arguments[0][1:2]) if one is not None), 0)
    return int(found) if found > 0 and found % 2 == 0 else 0


def _picked_from(trace: GraphTrace, node: Node):
    """What one number of each row is taken of by a product with one-hot rows that is summed over them, as the value of the action
    that was taken is; None of other sums."""
    product = producer_of(trace, node.inputs[0])
    if product is None or not plain_name(product).startswith("mul") or len(product.inputs) != 2 or not node.results:
        return None
    made = to_numpy(node.results[0]).size
    for rows, value in (product.inputs, product.inputs[::-1]):
        array = to_numpy(rows)
        if array.ndim < 2 or array.shape != tuple(value.shape) or made != array.size // array.shape[-1]:
            continue
        if one_hot_rows(array.reshape(-1, array.shape[-1])) and (array != array[:1]).any():
            return value
    return None


def _summed(inside: Output, node: Node) -> Output:
    """A sum over axes: of values that are never below 0, or never above, it is neither."""
    low, high = 0.0 if inside.low >= 0 else -_INF, 0.0 if inside.high <= 0 else _INF
    return Output(node, low, high, plain=False)


def _joined(trace: GraphTrace, node: Node, depth: int) -> Output:
    parts = [output_of(trace, value, depth - 1) for value in node.inputs]
    low, high = min((p.low for p in parts), default=-_INF), max((p.high for p in parts), default=_INF)
    return Output(node, low, high, plain=False) if parts else Output(node)


def _shifted(trace: GraphTrace, node: Node, depth: int) -> Output:
    """A sum or product: with plain numbers, the same range moved; of two outputs, what their ranges allow."""
    made = [value for value in node.inputs if trace.producers.get(id(value)) is not None]
    others = [value for value in node.inputs if all(value is not one for one in made)]
    if len(made) == 1 and all(one.size == 1 and not getattr(one, "requires_grad", False) for one in others):
        fitted = affine(to_numpy(made[0]), to_numpy(node.results[0])) if node.results else None
        inside = output_of(trace, made[0], depth - 1)
        if fitted is None or inside.linear:
            return Output(node, linear=inside.linear)
        factor, offset = fitted
        ends = sorted(factor * end + offset for end in (inside.low, inside.high))
        return inside._replace(low=ends[0], high=ends[1], plain=inside.plain and (factor, offset) == (1, 0))
    if len(made) != 2 or others:
        return Output(node)
    one, other = (output_of(trace, value, depth - 1) for value in made)
    name = plain_name(node)
    if not all(map(math.isfinite, (one.low, one.high, other.low, other.high))):
        return Output(node, linear=one.linear and other.linear and name.startswith(("add", "sub")))
    if name.startswith("add"):
        return Output(node, one.low + other.low, one.high + other.high, plain=False)
    if name.startswith("sub"):
        return Output(node, one.low - other.high, one.high - other.low, plain=False)
    if name.startswith("mul"):
        ends = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
        return Output(node, min(ends), max(ends), plain=False)
    return Output(node)


def affine(given: np.ndarray, made: np.ndarray) -> Optional[tuple]:
    """``(factor, offset)`` where ``made`` is ``factor * given + offset`` throughout; None: it is not."""
    if given.size != made.size or not given.size or given.dtype.kind not in "fiu" or made.dtype.kind not in "fiu":
        return None
    x, y = given.reshape(-1).astype(np.float64), made.reshape(-1).astype(np.float64)
    first, last = int(x.argmin()), int(x.argmax())
    if not (np.isfinite(x).all() and np.isfinite(y).all()) or x[first] == x[last]:
        return None
    factor = (y[last] - y[first]) / (x[last] - x[first])
    offset = y[first] - factor * x[first]
    if factor == 0 or np.abs(factor * x + offset - y).max() > _CLOSE * max(np.ptp(y), 1e-12):
        return None
    # the digits of a float32
    return float(f"{factor:.5g}"), float(f"{offset:.5g}") if abs(offset) > 1e-5 * np.abs(y).max() else 0.0


def output_facts(trace: GraphTrace, value) -> dict:
    """The entry ``output`` of a loss in ``probes.json``: the operator, its line, and the values that it can give."""
    found, array = output_of(trace, value), to_numpy(value)
    node = found.node
    name = plain_name(node) if node is not None else ""
    summing = _summing_axes(node) if name in ("softmax", "logsoftmax") else []
    return {
        "operator": node.callee if node is not None else None,
        "name": name or None,
        "place": operator_place(node) if node is not None else None,
        "created": created_place(node.cell_object) if node is not None and node.cell_object is not None else None,
        "low": found.low if math.isfinite(found.low) else None,
        "high": found.high if math.isfinite(found.high) else None,
        "plain": found.plain,
        "linear": found.linear,
        "before": _named(found.before),
        "flat": name in _FLAT,
        "gradient": name not in _STEPS,
        "axes": summing,
        "units": int(to_numpy(node.results[0]).shape[summing[0]]) if summing else None,
        "constant": _constant(node, name, summing),
        "shape": list(array.shape),
    }


def _named(node: Optional[Node]) -> Optional[dict]:
    return {"operator": node.callee, "place": operator_place(node)} if node is not None else None


def operator_place(node: Node) -> Optional[dict]:
    """The user's line of an operator: of a cell that one of MindSpore's containers called, where it was made."""
    enclosing = node.cell_object is not None and node.stack and node.expression is node.stack[-1]
    made = created_place(node.cell_object) if enclosing else None
    return made or place_of(node)


def _summing_axes(node: Node) -> list:
    """The axes along which what a softmax gave adds up to one; the axis that it was told, where several do."""
    if not node.results:
        return []
    result = to_numpy(node.results[0]).astype(np.float64)
    result = np.exp(result) if plain_name(node) == "logsoftmax" else result
    axes = [axis for axis in range(result.ndim) if np.abs(result.sum(axis) - 1).max() <= 1e-2]
    told = [one for one in _numbers(node) if isinstance(one, int)]
    named = [node.arguments[1][key] for key in ("axis", "dim") if isinstance(node.arguments[1].get(key), int)]
    chosen = [axis % result.ndim for axis in (*named, *told) if result.ndim and axis % result.ndim in axes]
    return chosen[:1] or axes


def _constant(node: Optional[Node], name: str, axes: list) -> Optional[float]:
    """What a softmax over a single unit gives, whatever goes in; None of all else."""
    if not axes or node is None or to_numpy(node.results[0]).shape[axes[0]] != 1:
        return None
    return 1.0 if name == "softmax" else 0.0
