"""Whether a network that predicts the next token is given that token: one token is changed, and what changes is looked at.

Only forward passes run, in inference mode, with the weights of the end.
"""

from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.replay import ReplayedStep, undisturbed
from msprec.locate.trace import Node, to_numpy
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of, run_forward
from msprec.probe.steps.numpy_losses import NLL, SOFTMAX, kind_called
from msprec.record.nested import tensors_in
from msprec.runtime.rng_state import random_state

#: Shortest sequence that is looked at; places that have to tell the two shifts apart, and the share of them that must agree.
_SHORTEST, _TELLING, _AGREE = 4, 16, 0.98
#: A change counts as one above this share of the largest, and its absence as one below.
_CHANGED, _UNCHANGED = 1e-3, 1e-6
#: Largest prediction that is looked at, in elements.
_LARGEST = 1 << 23


class _Shifted(NamedTuple):
    """``position`` of the input, ``shift`` by which the targets lead it (1: the next token), ``length`` of the targets, and the
    place of the ``first`` of them in the input."""

    position: int
    shift: int
    length: int
    first: int


def seen_targets(material) -> Optional[dict]:
    """The entry ``seen_targets`` of ``probes.json``; None where no targets are tokens of the input.

    Args:
        material: What the run has left.
    """
    batch = material.batches[-1]
    if not any(_are_tokens(to_numpy(one)) for one in tensors_in(batch)):
        return None
    with material.in_inference():
        runs = _Runs(material, batch)
        plain = runs.predictions(batch)
        if plain is None:
            return None
        shifted = _shift_of(plain.targets, [to_numpy(one) for one in tensors_in(batch)])
        if shifted is None:
            return None
        tokens = to_numpy(list(tensors_in(batch))[shifted.position])
        begin, count = (shifted.first, shifted.length) if shifted.first > 1 else (0, tokens.shape[1])
        places = sorted({begin + count // 2, begin + 2 * count // 3})
        tried = [_tried(runs, batch, plain, shifted, tokens, at) for at in places]
    if any(one is None for one in tried):
        return None
    rest = {"input": shifted.position, "shift": shifted.shift, "tried": len(tried)}
    return {
        **rest,
        "before": min(one.before for one in tried),
        "after": min(one.after for one in tried),
        "earlier": max(one.earlier for one in tried),
        **({"own": min(one.own for one in tried)} if shifted.shift == 0 else {}),
        "loss_place": place_of(plain.node),
        "place": tried[0].place,
        "operator": tried[0].operator,
    }


class _Predictions(NamedTuple):
    """``node``: the loss; ``values``: (batch, places, classes) as they enter it; ``targets``: (batch, places)."""

    node: Node
    values: np.ndarray
    targets: np.ndarray
    trace: GraphTrace


class _Runs:
    """Forward passes with the same draws of random numbers."""

    def __init__(self, material, batch: tuple) -> None:
        self._material = material
        self._state = random_state(False)
        self.rows = next(int(one.shape[0]) for one in tensors_in(batch) if one.ndim)

    def predictions(self, batch: tuple) -> Optional[_Predictions]:
        step: ReplayedStep = self._material.build(batch)
        with undisturbed(step.parameters, self._state, None, False):
            trace, _ = run_forward(step)
        for node in trace.nodes:
            if kind_called(node.callee) in (SOFTMAX, NLL) and len(node.inputs) > 1:
                found = _by_place(to_numpy(node.inputs[0]), to_numpy(node.inputs[1]), self.rows)
                if found is not None:
                    return _Predictions(node, *found, trace)
        return None


def _are_tokens(array: np.ndarray) -> bool:
    return array.ndim == 2 and array.dtype.kind in "iu" and array.shape[1] >= _SHORTEST


def _by_place(values: np.ndarray, targets: np.ndarray, rows: int) -> Optional[tuple]:
    """``(predictions by place, targets by place)`` of class numbers for each place of a batch of ``rows`` sequences."""
    if values.dtype.kind != "f" or values.ndim < 2 or values.size > _LARGEST:
        return None
    if targets.shape == values.shape and values.ndim == 2 and targets.dtype.kind == "f":
        targets = targets.argmax(1)
    if values.ndim == 3:
        values = np.moveaxis(values, 1, -1)
    if targets.dtype.kind not in "iu" or targets.size * values.shape[-1] != values.size or targets.size % rows:
        return None
    return values.reshape(rows, -1, values.shape[-1]).astype(np.float64), targets.reshape(rows, -1)


def _shift_of(targets: np.ndarray, inputs: list) -> Optional[_Shifted]:
    """The input of which the targets are the tokens, and by how many places they lead it."""
    length = targets.shape[1]
    for position, tokens in enumerate(inputs):
        fits = tokens.ndim == 2 and tokens.dtype.kind in "iu" and tokens.shape[0] == len(targets)
        if not fits or tokens.shape[1] < _SHORTEST or tokens.shape[1] < length:
            continue
        within = length - 1  # the very last target follows the input
        if 1 < within < tokens.shape[1] and _agrees(targets[:, :-1], tokens[:, -within:], tokens[:, -within - 1 : -1]):
            return _Shifted(position, 1, length, tokens.shape[1] - within)
        if tokens.shape[1] > length + 1:
            if length > 1 and _agrees(targets, tokens[:, -length:], tokens[:, -length - 1 : -1]):
                return _Shifted(position, 1, length, tokens.shape[1] - length)  # the last of them alone
            continue
        given, following = tokens[:, : tokens.shape[1] - 1], tokens[:, 1:]
        aimed = targets[:, : given.shape[1]]
        # a start token may stand in the place of the first
        behind_start = (aimed[:, 1:], given[:, 1:], following[:, 1:])
        for shift, *compared in ((1, aimed, following, given), (0, aimed, given, following), (0, *behind_start)):
            if _agrees(*compared):
                return _Shifted(position, shift, length, 1)
    return None


def _agrees(aimed: np.ndarray, expected: np.ndarray, other: np.ndarray) -> bool:
    """Whether the targets are the ``expected`` tokens, where these differ from the ``other`` ones."""
    telling = (expected != other) & (aimed >= 0)
    return bool(telling.sum() >= _TELLING and (aimed == expected)[telling].mean() >= _AGREE)


class _Tried(NamedTuple):
    """What other tokens at one place change, as shares of the largest change: the prediction ``before`` the place (without a
    shift all of them), those ``after`` it, those ``earlier`` than the former and the place's ``own``; and what first carries it
    to earlier places."""

    before: float
    after: float
    earlier: float
    own: float
    place: Optional[dict]
    operator: Optional[str]


def _tried(
    runs: _Runs, batch: tuple, plain: _Predictions, shifted: _Shifted, tokens: np.ndarray, at: int
) -> Optional[_Tried]:
    """None where nothing changes with other tokens at ``at``, or another pass with the same tokens changes as much."""
    changed = tokens.copy()
    changed[:, at] = np.roll(tokens[:, at], 1)
    same = changed[:, at] == tokens[:, at]
    changed[same, at] = np.roll(tokens[:, at - 1], 1)[same]
    other, control = runs.predictions(_with(batch, shifted.position, changed)), runs.predictions(batch)
    if other is None or control is None or not other.values.shape == control.values.shape == plain.values.shape:
        return None
    moved, noise = (np.abs(one.values - plain.values).max((0, 2)) for one in (other, control))
    largest = float(moved.max())
    if not largest > 0 or float(noise.max()) > 0.1 * _UNCHANGED * largest:
        return None
    own = at - shifted.first + 1  # the prediction whose place is that of the changed token
    before = moved[:own] if shifted.shift else moved[: at - 1]
    after = moved[own + 1 :] if own + 1 < len(moved) else moved[own:]
    # where the last target is not in the input, all of that is given
    beyond = shifted.first + shifted.length > tokens.shape[1]
    length = tokens.shape[1] if beyond else shifted.length if shifted.first == 1 else tokens.shape[1] - 1
    leaking = _first_leaking(plain.trace, other.trace, runs.rows, length, at)
    return _Tried(
        float(before[-1]) / largest if shifted.shift else float(before.max()) / largest,
        float(after.max()) / largest if len(after) else 0.0,
        float(before[:-1].max(initial=0.0)) / largest,
        float(moved[min(own, len(moved) - 1)]) / largest,
        place_of(leaking) if leaking is not None else None,
        leaking.callee if leaking is not None else None,
    )


def _with(batch: tuple, position: int, tokens: np.ndarray) -> tuple:
    from mindspore import Tensor

    old = list(tensors_in(batch))[position]
    new = Tensor(tokens.astype(to_numpy(old).dtype), old.dtype)
    return tuple(new if one is old else one for one in batch)


def _first_leaking(one: GraphTrace, other: GraphTrace, rows: int, length: int, at: int) -> Optional[Node]:
    """The first operation whose result changes at places before ``at``, on every axis of the sequence's length."""
    for first, second in zip(one.nodes, other.nodes):
        if first.callee != second.callee:
            return None
        for result, changed in zip(first.results, second.results):
            if result.shape != changed.shape or "Float" not in str(result.dtype) or result.size > _LARGEST:
                continue
            difference = np.abs(to_numpy(changed).astype(np.float64) - to_numpy(result).astype(np.float64))
            if difference.shape[:1] == (rows * length,):
                difference = difference.reshape(rows, length, *difference.shape[1:])
            axes = [axis for axis, n in enumerate(difference.shape) if n == length and (axis or n != rows)]
            earlier = tuple(slice(0, at) if axis in axes else slice(None) for axis in range(difference.ndim))
            if axes and difference.max() > 0 and difference[earlier].max() > _CHANGED * difference.max():
                return first
    return None
