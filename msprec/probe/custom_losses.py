"""Losses that the script computes by functions of its own: beside the built-in ones, and how they behave."""

import re
from typing import Optional

import numpy as np

from msprec.locate.replay import ReplayedStep, undisturbed
from msprec.locate.trace import to_numpy
from msprec.probe.attainable_range import output_facts
from msprec.probe.connectivity_trace import GraphTrace, OwnLoss
from msprec.probe.loss_input_statistics import features, is_input
from msprec.probe.loss_properties import behaviour, pair_behaviour
from msprec.probe.loss_reach import ends
from msprec.probe.loss_targets import Sources, target_facts
from msprec.probe.numpy_losses import (
    BCE,
    BCE_LOGITS,
    L1,
    MSE,
    NLL,
    SOFTMAX,
    closest_reduction,
    elements,
    kind_called,
    reductions,
)
from msprec.probe.producing_operator import source_of
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
        (r"binary.?cross.?entropy|bce", BCE),
        (r"cross.?entropy|(^|_)ce(_|$)|celoss", SOFTMAX),
        (r"nll", NLL),
        (r"(?<![a-z])mse|(?<!root_)mean.?squared(?!.?log)|(?<!mean_)squared.?error|l2.?loss", MSE),
        (r"l1.?loss|(?<![a-z])mae|mean.?abs", L1),
    )
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
        entry["behaviour"] = None
        if step is not None and tried < _MOST_TRIED:
            tried += 1
            entry["behaviour"] = _behaviour(
                one, step, predicted, target, arrays, pair, entry["features"], is_bounded(trace), ends(entry["output"])
            )
        found.append(entry)
    return found


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
) -> Optional[dict]:
    """What the function does with other arrays, as it was called in the step otherwise."""
    from mindspore import Tensor

    first, second = one.given[predicted], one.given[target]

    def replaced(value, new: tuple):
        if value is first or value is second:
            return new[0] if value is first else new[1]
        if isinstance(value, dict):
            return {key: replaced(part, new) for key, part in value.items()}
        return type(value)(replaced(part, new) for part in value) if type(value) in (tuple, list) else value

    def call(left: np.ndarray, right: np.ndarray) -> float:
        new = tuple(Tensor(np.ascontiguousarray(array), of.dtype) for array, of in ((left, first), (right, second)))
        return float(to_numpy(one.function(*replaced(one.args, new), **replaced(one.kwargs, new))))

    with undisturbed(step.parameters, None, None, step.host_random):
        try:
            if pair is not None and bounded:
                return None
            if pair is not None:
                return pair_behaviour(call, arrays[predicted], arrays[target], pair)
            value = float(to_numpy(one.result))
            return behaviour(call, arrays[predicted], arrays[target], value, found, bounded, limits)
        except Exception:  # a function of the user's that takes no other values is not tried
            return None


def promised(name: str) -> Optional[str]:
    """The kind of loss that the name of a function or class of the user's speaks of, or None."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return next((kind for pattern, kind in _PROMISES if pattern.search(plain)), None)


def _own_loss(function, predicted: np.ndarray, labels: np.ndarray, value: float, pair: Optional[str]) -> dict:
    name = _name(function)
    promise = promised(name) if pair is None else None
    equals, candidates = values_beside(predicted, labels, value, promise) if pair is None else (None, {})
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
    for kind in (SOFTMAX, NLL, BCE, BCE_LOGITS, MSE, L1):
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
