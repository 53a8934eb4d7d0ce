"""What the loss of one step was given and what it gave, beside what NumPy makes of the same arrays."""

import re
from typing import Optional

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.observe.places import place_of_code
from msprec.observe.steps import flatten
from msprec.probe.graph import GraphTrace, place_of
from msprec.probe.reference_losses import BCE, BCE_LOGITS, KINDS, L1, MSE, NLL, SOFTMAX, elements, reductions

#: Operators that leave the values as they are, or only put them elsewhere.
_CARRIERS = ("reshape", "view", "squeeze", "expand_dims", "unsqueeze", "transpose", "permute", "cast", "astype", "to",
             "float", "half", "flatten", "ravel", "[]", "contiguous", "identity", "reduce", "swapaxes")  # fmt: skip
_SETTINGS = ("reduction", "sparse", "label_smoothing", "ignore_index", "delta", "beta")
#: Kinds of loss that the name of a user's own function promises.
_PROMISES = tuple((re.compile(pattern), kind) for pattern, kind in (
    (r"(binary.?cross.?entropy|bce).*logit", BCE_LOGITS), (r"binary.?cross.?entropy|bce", BCE),
    (r"cross.?entropy|(^|_)ce(_|$)|celoss", SOFTMAX), (r"nll", NLL),
    (r"(?<![a-z])mse|(?<!root_)mean.?squared(?!.?log)|(?<!mean_)squared.?error|l2.?loss", MSE),
    (r"l1.?loss|(?<![a-z])mae|mean.?abs", L1),
))  # fmt: skip
#: Words in a loss of the user's own that make it another loss than its name says.
_VARIANTS = re.compile(r"weight|smooth|gamma|alpha|mask|ignore|focal|margin|temperature|penal|regular|aux|lambda|pad|label_?dist"
                       r"|dice|iou|kl_|_kl|kl_?div|center|triplet|contrast|distill|ssim", re.IGNORECASE)  # fmt: skip
#: Functions of a prediction and a label, or of two inputs, that are a part of a loss or none.
_NO_LOSS = re.compile(r"penalt|regular|accura|metric|correct|psnr|ssim|similar|distance", re.IGNORECASE)
_CLOSE = 2e-3


def loss_facts(trace: GraphTrace, inputs: tuple) -> dict:
    """The entries ``losses``, ``own_losses`` and ``broadcasts`` of ``probes.json``.

    Args:
        trace: A traced step.
        inputs: What the step was called with.
    """
    labels = [to_numpy(v) for v in flatten(inputs) if hasattr(v, "asnumpy")]
    losses = [_loss(trace, node, KINDS[node.callee.lower()]) for node in trace.nodes if node.callee.lower() in KINDS]
    return {
        "losses": [one for one in losses if one is not None][:8],
        "own_losses": _own(trace, labels)[:8],
        "broadcasts": _broadcasts(trace, labels)[:8],
    }


def _loss(trace: GraphTrace, node: Node, kind: str) -> Optional[dict]:
    if len(node.inputs) < 2 or not node.results:
        return None
    predicted, labels = (to_numpy(value) for value in node.inputs[:2])
    value = to_numpy(node.results[0])
    each = elements(kind, predicted, labels)
    again = reductions(each) if each is not None and each.size else {}
    return {
        "kind": kind, "name": node.callee, "place": place_of(node), "settings": _settings(node),
        "predicted": {**_described(predicted, str(node.inputs[0].dtype)), **_features(predicted),
                      "source": _source(trace, node.inputs[0])},
        "labels": _described(labels, str(node.inputs[1].dtype)),
        "shape": list(value.shape), "value": float(value) if value.size == 1 else None,
        "unreduced": value.size > 1 and _returned(trace, node), "recomputed": again or None,
        "equals": _equal(float(value), again) if value.size == 1 else None,
    }  # fmt: skip


def _settings(node: Node) -> dict:
    held = node.cell_object.__dict__ if node.cell_object is not None else {}
    found = {name: held[name] for name in _SETTINGS if isinstance(held.get(name), (str, bool, int, float))}
    # reduction of the older losses of MindSpore
    if "reduction" not in found and node.cell_object is not None and {"average", "reduce"} <= set(held):
        found["reduction"] = ("mean" if held["average"] else "sum") if held["reduce"] else "none"
    return found


def _described(values: np.ndarray, dtype: str) -> dict:
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    known = finite.size and values.dtype.kind in "fiu"
    return {
        "dtype": dtype, "shape": list(values.shape), "min": float(finite.min()) if known else None,
        "max": float(finite.max()) if known else None,
        "distinct": len(np.unique(values)) if values.size <= 1 << 20 else None,
        "whole": bool(known and (finite == np.round(finite)).all()),
        "one_hot": _one_hot(values),
    }  # fmt: skip


def _one_hot(values: np.ndarray) -> bool:
    if values.ndim < 2 or values.shape[1] < 2 or not values.size:
        return False
    return bool(np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all())


def _features(values: np.ndarray) -> dict:
    """Whether the predictions are probabilities or their logarithms along the classes, or lie between 0 and 1."""
    if values.dtype.kind != "f" or not values.size or not np.isfinite(values).all():
        return {"probabilities": None, "log_probabilities": None, "unit": None}
    exact = values.astype(np.float64)
    unit = bool(exact.min() >= 0 and exact.max() <= 1)
    if values.ndim < 2 or values.shape[1] < 2:
        return {"probabilities": None, "log_probabilities": None, "unit": unit}
    sums = exact.sum(axis=1)
    with np.errstate(over="ignore"):
        totals = np.exp(exact).sum(axis=1)
    return {
        "probabilities": unit and bool(np.abs(sums - 1).max() < _CLOSE),
        "log_probabilities": bool(exact.max() <= _CLOSE and np.abs(totals - 1).max() < _CLOSE),
        "unit": unit,
    }


def _source(trace: GraphTrace, value) -> Optional[dict]:
    """The operator that made a tensor, past those that only carry it."""
    node = trace.producers.get(id(value))
    for _ in range(20):
        if node is None:
            return None
        name = node.callee.lower()
        if name.startswith("_outputto") and node.inner:  # what mixed precision puts around a network: a cast
            node = node.inner[-1]
            continue
        if name not in _CARRIERS or len(node.sources) != 1:
            return {"operator": node.callee, "place": place_of(node), "cell": node.cell, "given": _range(node)}
        node = node.sources[0]
    return None


def _range(node: Node) -> Optional[list]:
    """The smallest and largest finite value of what an operator was given first."""
    if not node.inputs:
        return None
    found = _described(to_numpy(node.inputs[0]), "")
    return None if found["min"] is None else [found["min"], found["max"]]


def _returned(trace: GraphTrace, node: Node) -> bool:
    """Whether what a node gives is what comes out in the end: nothing else is computed from it."""
    if any(source is node for other in trace.nodes if other is not node for source in other.sources):
        return False
    outputs = {id(value) for value in flatten(trace.outputs) if hasattr(value, "asnumpy")}
    return any(id(value) in outputs for value in node.results)


def _equal(value: float, again: dict) -> Optional[str]:
    """Which reduction of the recomputed elements gives ``value``; None: none does."""
    return next((name for name, other in again.items() if abs(value - other) <= _CLOSE * max(1e-6, abs(other))), None)


# --- the user's own losses ---------------------------------------------------------------------------------------
def _own(trace: GraphTrace, labels: list) -> list:
    found = []
    for function, given, result in trace.own_losses:
        if _NO_LOSS.search(getattr(function, "__name__", type(function).__name__)):
            continue
        arrays = [to_numpy(value) for value in given]
        target = next((i for i, array in enumerate(arrays) if _is_input(array, labels)), None)
        predicted = next((i for i, v in enumerate(given) if i != target and id(v) in trace.producers), None)
        if target is None or predicted is None:
            continue
        entry = _own_loss(function, arrays[predicted], arrays[target], float(to_numpy(result)))
        if entry not in found:
            found.append(entry)
    return found


def promised(name: str) -> Optional[str]:
    """The kind of loss that the name of a function or class of the user's speaks of, or None."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return next((kind for pattern, kind in _PROMISES if pattern.search(plain)), None)


def _own_loss(function, predicted: np.ndarray, labels: np.ndarray, value: float) -> dict:
    name = getattr(function, "__name__", type(function).__name__)
    promise = promised(name)
    equals, candidates = None, {}
    for kind in (SOFTMAX, NLL, BCE, BCE_LOGITS, MSE, L1):
        each = elements(kind, predicted, labels)
        if each is None or not each.size or not np.isfinite(each).all():
            continue
        again = {**reductions(each), "element_mean": float(each.sum() / max(1, predicted.size))}
        if kind == MSE:  # many halve the square
            again.update({f"half_{name}": value / 2 for name, value in again.items()})
        candidates[kind] = again["mean"]
        reduction = _equal(value, again)
        if reduction and (equals is None or kind == promise):
            equals = [kind, reduction]
    return {
        "name": name, "place": _place_of_function(function), "promise": promise, "value": value, "equals": equals,
        "candidates": candidates, "variant": _is_variant(function), "predicted": list(predicted.shape),
        "labels": list(labels.shape),
    }  # fmt: skip


def _place_of_function(function) -> Optional[dict]:
    target = getattr(function, "__func__", function)
    if not hasattr(target, "__code__"):
        target = type(function).construct
    return place_of_code(target.__code__)


def _is_variant(function) -> bool:
    """Whether its code speaks of weights, smoothing, masks and the like."""
    import inspect

    target = getattr(function, "__func__", function)
    try:
        text = inspect.getsource(target if hasattr(target, "__code__") else type(function))
    except (OSError, TypeError):
        return True
    return bool(_VARIANTS.search(text))


def _broadcasts(trace: GraphTrace, labels: list) -> list:
    """Differences of a prediction and a label whose shapes, (N, 1) and (N,), broadcast to (N, N)."""
    found = []
    for node in trace.nodes:
        shapes = [tuple(value.shape) for value in node.inputs[:2]]
        if len(shapes) < 2 or not _spreads(*shapes):
            continue
        arrays = [to_numpy(value) for value in node.inputs[:2]]
        given = [_is_input(array, labels) for array in arrays]
        if any(given) and not all(given):
            found.append({"operator": node.callee, "place": place_of(node), "shapes": [list(s) for s in shapes],
                          "label": given.index(True)})  # fmt: skip
    return found


def _spreads(one: tuple, other: tuple) -> bool:
    if one == other or 1 in (np.prod(one or (1,)), np.prod(other or (1,))):
        return False
    small, large = sorted((one, other), key=len)
    return len(small) == 1 and large == (small[0], 1) and small[0] > 1


def _is_input(array: np.ndarray, inputs: list) -> bool:
    flat = array.reshape(-1)
    return any(one.size == flat.size and np.array_equal(one.reshape(-1).astype(np.float64), flat.astype(np.float64))
               for one in inputs if one.dtype.kind in "fiub" and flat.dtype.kind in "fiub")  # fmt: skip
