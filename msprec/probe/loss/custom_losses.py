"""Losses that the script computes by functions of its own: beside the built-in ones, and how they behave."""

import contextlib
import re
from functools import partial
from typing import Optional

import numpy as np

from msprec.locate.replay import ReplayedStep, undisturbed
from msprec.locate.trace import to_numpy
from msprec.probe.loss.class_separation import class_separation
from msprec.probe.loss.loss_properties import behaviour, direction, pair_behaviour
from msprec.probe.loss.loss_reach import ends
from msprec.probe.loss.loss_shapes import kind_of
from msprec.probe.loss.loss_targets import Sources, target_facts
from msprec.probe.steps.attainable_range import output_facts
from msprec.probe.steps.connectivity_trace import GraphTrace, OwnLoss
from msprec.probe.steps.loss_input_statistics import features, is_input
from msprec.probe.steps.numpy_losses import (
    BCE,
    BCE_LOGITS,
    L1,
    MSE,
    NLL,
    PROBABILITIES,
    SOFTMAX,
    closest_reduction,
    elements,
    kind_called,
    reductions,
)
from msprec.probe.steps.producing_operator import source_of
from msprec.runtime.source_locations import place_of_code

_MOST_TRIED = 4
_PAIRS = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"info_?nce|nt_?xent|contrast|simclr|clip_?loss", "contrastive"),
        (r"(^|_)kl(_|d|$)|kl_?div|distil|(^|_)kd(_|$)", "distillation"),
    )
)
#: Kinds of loss that the name of a user's own function promises.
_PROMISES = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"(binary.?cross.?entropy|bce).*logit", BCE_LOGITS),
        (r"binary.?cross.?entropy|(?<![a-z])bce", BCE),
        (r"cross.?entropy|(^|_)ce(_|$)|(?<![a-z])celoss", SOFTMAX),
        (r"(?<![a-z])nll", NLL),
        (r"(?<![a-z])mse|(?<!root_)mean.?squared(?!.?log)|(?<!mean_)squared.?error|l2.?loss", MSE),
        (r"l1.?loss|(?<![a-z])mae|mean.?abs", L1),
    )
)
#: Words of a name that make it that of another loss: a generalised or symmetric cross-entropy, a relative or scaled error.
_ANOTHER = re.compile(
    r"generali|symmetric|trunc|reverse|robust|soft(?!max)|bootstrap|poly|taylor|focal|balanc|ordinal|complement|percent"
    r"|(^|_)rel(ative)?_|normali|scaled|(^|_)log_(?!soft|loss)"
)
#: Words in a loss of the user's own that make it another loss than its name says.
_VARIANTS = re.compile(
    r"weight|smooth|gamma|alpha|mask|ignore|focal|margin|temperature|penal|regular|aux|lambda|pad|label_?dist"
    r"|dice|iou|kl_|_kl|kl_?div|center|triplet|contrast|distill|ssim",
    re.IGNORECASE,
)
#: Functions of a prediction and a label, or of two inputs, that are a part of a loss or none.
_NO_LOSS = re.compile(r"penalt|regular|accura|metric|correct|psnr|ssim|similar|distance", re.IGNORECASE)


def own_losses(trace: GraphTrace, sources: Sources, step: Optional[ReplayedStep]) -> list:
    """The entries ``own_losses`` of ``probes.json``; ``sources``: the inputs of the step."""
    found, tried, labels = [], 0, sources.inputs
    for one in trace.own_losses:
        if _NO_LOSS.search(_name(one.function)):
            continue
        arrays = [to_numpy(value) for value in one.given]
        picked = _picked(trace, one, arrays, labels)
        if picked is None:
            continue
        predicted, target = picked
        compared = _compared(trace, one, arrays, target, step) if is_input(arrays[target], labels) else None
        if compared is not None:
            found.append(_of_distances(trace, one, arrays, (*compared, target), step, sources))
            continue
        pair = promised_pair(_name(one.function)) if not is_input(arrays[target], labels) else None
        entry = _own_loss(one.function, arrays[predicted], arrays[target], float(to_numpy(one.result)), pair)
        entry["final"] = _is_final(trace, one.result, step)
        if any({**other, **entry} == other for other in found):
            continue
        entry["features"] = {**features(arrays[predicted]), "source": source_of(trace, one.given[predicted])}
        entry["output"] = output_facts(trace, one.given[predicted])
        entry["targets"] = target_facts(trace, one.given[target], entry["output"], sources)
        entry["beside"] = _given_besides(arrays, {predicted, target}, labels)
        entry["variant"] = entry["variant"] or bool(entry["beside"])
        entry["behaviour"] = entry["separation"] = None
        if step is not None and tried < _MOST_TRIED:
            tried += 1
            entry.update(
                _behaviour(
                    one,
                    step,
                    predicted,
                    target,
                    arrays,
                    pair,
                    entry["features"],
                    is_bounded(trace),
                    ends(entry["output"]),
                )
            )
        found.append(entry)
    return found


def _compared(trace: GraphTrace, one: OwnLoss, arrays: list, target: int, step) -> Optional[tuple]:
    """Positions of two outputs (samples, features) whose distance a loss depends on, beside labels 0 and 1 of the pairs."""
    labels = arrays[target]
    made = [i for i, value in enumerate(one.given) if i != target and id(value) in trace.producers]
    two = len(made) == 2 and arrays[made[0]].shape == arrays[made[1]].shape and arrays[made[0]].ndim == 2
    if not two or arrays[made[0]].shape[1] < 2 or labels.size != len(arrays[made[0]]):
        return None
    binary = step is not None and kind_of(np.zeros(labels.shape, np.float32), labels) == "binary"
    return (made[0], made[1]) if binary and _of_distance_alone(one, arrays, made, step) else None


def _of_distance_alone(one: OwnLoss, arrays: list, pair: list, step: ReplayedStep) -> bool:
    """Whether a loss stays the same where both outputs move by one vector, as a distance does, or are scaled, as an angle does:
    with the classes of two heads it would not."""
    left, right = (arrays[i].astype(np.float32) for i in pair)
    apart = left.std() * np.linspace(0.5, 1.5, left.shape[1], dtype=np.float32)
    others = ((left + apart, right + apart), (2 * left, 3 * right))
    value = float(to_numpy(one.result))
    # a function of the user's that takes no other values is not tried
    with undisturbed(step.parameters, None, None, step.host_random), contextlib.suppress(Exception):
        return any(abs(_value(one, dict(zip(pair, other))) - value) <= 1e-3 * abs(value) for other in others)
    return False


def _value(one: OwnLoss, replaced: dict) -> float:
    """What a loss gives with other arrays, ``{position: array}``, in place of some tensors that it was given."""
    from mindspore import Tensor

    new = {id(one.given[i]): Tensor(np.ascontiguousarray(array), one.given[i].dtype) for i, array in replaced.items()}
    return float(to_numpy(one.function(*_with(one.args, new), **_with(one.kwargs, new))))


def _of_distances(trace: GraphTrace, one: OwnLoss, arrays: list, positions: tuple, step, sources: Sources) -> dict:
    """The entry of a loss of two outputs and the labels of the pairs, as one of the distances between them."""
    left, right, target = positions
    apart = (arrays[right] - arrays[left]).astype(np.float64)
    distances = np.linalg.norm(apart, axis=1)
    ways = np.where(distances[:, None] > 0, apart, 1.0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)

    def call(given: np.ndarray, labels: np.ndarray) -> float:
        moved = arrays[left] + given.reshape(-1, 1) * ways
        return _value(one, {right: moved.astype(np.float32), target: labels})

    predicted, labels = distances.astype(np.float32), arrays[target].reshape(-1)
    entry = _own_loss(one.function, predicted, labels, float(to_numpy(one.result)), None)
    output = {**(output_facts(trace, one.given[left]) or {}), "low": 0.0, "high": None, "shape": list(predicted.shape)}
    entry.update(
        final=_is_final(trace, one.result, step),
        features={**features(predicted), "source": source_of(trace, one.given[left])},
        output=output,
        targets=target_facts(trace, one.given[target], output, sources),
        beside=[],
        behaviour=None,
    )
    if step is not None:
        # a function of the user's that takes no other values is not tried
        with undisturbed(step.parameters, None, None, step.host_random), contextlib.suppress(Exception):
            entry["behaviour"] = behaviour(
                call, predicted, labels, entry["value"], entry["features"], is_bounded(trace), ends(output)
            )
    return entry


def _name(function) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _picked(trace: GraphTrace, one: OwnLoss, arrays: list, labels: list) -> Optional[tuple]:
    """Positions of the prediction and of the label among what was given; of two outputs, where the name tells of them."""
    target = next((i for i, array in enumerate(arrays) if is_input(array, labels)), None)
    made = [i for i, value in enumerate(one.given) if i != target and id(value) in trace.producers]
    if target is not None:
        return (made[0], target) if made else None
    same = [i for i in range(len(arrays)) if made and arrays[i].shape == arrays[made[0]].shape and i != made[0]]
    return (made[0], same[0]) if promised_pair(_name(one.function)) and len(one.given) == 2 and same else None


def _given_besides(arrays: list, known: set, inputs: list) -> list:
    """Positions of the step's inputs that a loss was given besides its prediction and label: second labels, weights, masks."""
    own = [array for i, array in enumerate(arrays) if i not in known and array.size > 1]
    taken = [i for i, one in enumerate(inputs) if any(is_input(array, [one]) for array in own)]
    label = [i for i, one in enumerate(inputs) if any(is_input(arrays[k], [one]) for k in known)]
    return [i for i in taken if i not in label]


def promised_pair(name: str) -> Optional[str]:
    """``contrastive`` or ``distillation``, where the name of a function speaks of such a loss of two outputs."""
    return next((kind for pattern, kind in _PAIRS if pattern.search(name)), None)


def _is_final(trace: GraphTrace, result, step: Optional[ReplayedStep]) -> Optional[bool]:
    """Whether a result is what is differentiated, but for the loss scale; None: that was not seen."""
    if trace.differentiated is None:
        return None
    whole, value = float(to_numpy(trace.differentiated)), float(to_numpy(result))
    scales = {1.0, float(getattr(step, "scale", None) or 1.0)}
    return any(abs(value * scale - whole) <= 1e-6 * max(abs(whole), 1e-12) for scale in scales)


def is_bounded(trace: GraphTrace) -> bool:
    """Whether the step has a binary cross entropy of probabilities, whose kernel on a CPU ends the process over any others."""
    return any(kind_called(node.callee) == BCE for node in trace.nodes)


def _behaviour(
    one: OwnLoss, step, predicted: int, target: int, arrays: list, pair, found: dict, bounded: bool, limits: tuple
) -> dict:
    """The entries ``behaviour``, ``direction`` and ``separation``: what the function does with other arrays, as it was called in
    the step otherwise, and with 1 for all other real numbers, one of each sample."""
    known = (one.given[predicted], one.given[target])
    weights = [i for i, array in enumerate(arrays) if _weighs(array, arrays[predicted])]
    weights = [i for i in weights if not any(one.given[i] is value for value in known)]

    def call(left: np.ndarray, right: np.ndarray, even: bool = False) -> float:
        ones = {i: np.ones(arrays[i].shape) for i in weights if even}
        return _value(one, {predicted: left, target: right, **ones})

    did, way, apart = None, None, None
    with undisturbed(step.parameters, None, None, step.host_random):
        try:
            if pair is not None and not bounded:
                did = pair_behaviour(call, arrays[predicted], arrays[target], pair)
            elif pair is None:
                value = float(to_numpy(one.result))
                apart = None if bounded else class_separation(call, arrays[predicted], arrays[target], value)
                if apart is None:
                    did = behaviour(call, arrays[predicted], arrays[target], value, found, bounded, limits)
                    even = partial(call, even=True) if weights else None
                    way = direction(even, did, arrays[predicted], arrays[target])
        except Exception:  # a function of the user's that takes no other values is not tried
            pass
    return {"behaviour": did, "direction": way, "separation": apart}


def _with(value, new: dict):
    """Arguments with the tensors of ``{id(old): new}`` replaced."""
    if id(value) in new:
        return new[id(value)]
    if isinstance(value, dict):
        return {key: _with(part, new) for key, part in value.items()}
    return type(value)(_with(part, new) for part in value) if type(value) in (tuple, list) else value


def _weighs(array: np.ndarray, predicted: np.ndarray) -> bool:
    """Whether they are real numbers, one of each sample."""
    return array.dtype.kind == "f" and array.ndim > 0 and array.size == len(predicted) > 1 and bool(np.ptp(array) > 0)


def promised(name: str) -> Optional[str]:
    """The kind of loss that the name of a function or class of the user's speaks of, or None."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if _ANOTHER.search(plain):
        return None
    return next((kind for pattern, kind in _PROMISES if pattern.search(plain)), None)


def _own_loss(function, predicted: np.ndarray, labels: np.ndarray, value: float, pair: Optional[str]) -> dict:
    name = _name(function)
    promise = promised(name) if pair is None else None
    equals, candidates = values_beside(predicted, labels, value, promise) if pair is None else (None, {})
    if promise == SOFTMAX and PROBABILITIES in candidates:  # as Keras means it
        promise = PROBABILITIES
    return {
        "name": name,
        "place": _place_of_function(function),
        "promise": promise,
        "value": value,
        "equals": equals,
        "candidates": candidates,
        "variant": _is_variant(function),
        "predicted": list(predicted.shape),
        "labels": list(labels.shape),
    }


def values_beside(predicted: np.ndarray, labels: np.ndarray, value: float, promise: Optional[str]) -> tuple:
    """``([kind, reduction] of the built-in loss that gives the same value or None, {kind: its mean})``."""
    found, candidates = [], {}
    for kind in (SOFTMAX, PROBABILITIES, NLL, BCE, BCE_LOGITS, MSE, L1):
        each = elements(kind, predicted, labels)
        if each is None or not each.size or not np.isfinite(each).all():
            continue
        again = {**reductions(each), "element_mean": float(each.sum() / max(1, predicted.size))}
        if kind == MSE:  # many halve the square
            again.update({f"half_{name}": value / 2 for name, value in again.items()})
        candidates[kind] = again["mean"]
        difference, reduction = closest_reduction(value, again)
        if reduction:
            # on one batch, one formula in a hundred comes near to another's value by chance
            found.append((kind != promise, difference, kind, reduction))
    return (list(min(found, key=lambda one: one[:2])[2:]) if found else None), candidates


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
    return is_variant_text(text)


def is_variant_text(text: str) -> bool:
    """Whether the code of a loss speaks of weights, smoothing, masks and the like."""
    return bool(_VARIANTS.search(text))
