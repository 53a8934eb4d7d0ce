"""What of the sequences of token ids the loss depends on: the real tokens beside the padding, and the order of the places.

Only forward passes run, in inference mode, with the weights of the end and with weights moved at random from there: what holds
for both is how the network is made, and no chance of its weights.
"""

from typing import NamedTuple, Optional

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import to_numpy
from msprec.probe.loss.loss_changes import LossChanges
from msprec.probe.network.attended_padding import padded_places
from msprec.probe.steps.connectivity_trace import place_of, run_forward
from msprec.record.nested import tensors_in
from msprec.runtime.busy_clock import busy_seconds

#: Shortest sequence, fewest different tokens, largest batch in elements, and pairs of places that are needed.
_SHORTEST, _TOKENS, _LARGEST, _PAIRS = 4, 3, 1 << 18, 64


class _Lookup(NamedTuple):
    """``ids``: the tensor (samples, places) that an embedding is looked up by; ``place``: where; ``operator``: by what."""

    ids: object
    place: Optional[dict]
    operator: str


def token_use(material, seconds: float) -> Optional[dict]:
    """The entry ``token_use`` of ``probes.json``; None where no input is looked up in an embedding, or nothing can be told.

    Args:
        material: What the run has left.
        seconds: The longest it may take, beside the first forward pass.

    Raises:
        Cannot: ``slow`` where it takes longer.
    """
    until = busy_seconds() + seconds
    batch = material.batches[-1]
    if not any(_are_ids(to_numpy(one)) for one in tensors_in(batch)):
        return None
    with material.in_inference():
        lookup = _lookup(material, batch)
        if lookup is None:
            return None
        losses = LossChanges(material, batch, until)
        found = {**_padding_alone(losses, lookup.ids), **_order(material, losses, lookup.ids)}
    return {"place": lookup.place, "operator": lookup.operator, **found} if found else None


def _are_ids(array: np.ndarray) -> bool:
    sound = array.ndim == 2 and array.dtype.kind in "iu" and len(array) > 1 and array.shape[1] >= _SHORTEST
    return sound and array.size <= _LARGEST and len(np.unique(array)) >= _TOKENS


def _lookup(material, batch: tuple) -> Optional[_Lookup]:
    """The first call that makes a vector of each number of an input."""
    held = {id(one): one for one in tensors_in(batch) if _are_ids(to_numpy(one))}
    step = material.build(batch)
    with undisturbed(step.parameters, None, None, step.host_random):
        trace, _ = run_forward(step)
    for node in trace.nodes:
        ids = next((held[id(one)] for one in node.inputs if id(one) in held), None)
        if ids is None or not node.results or "onehot" in node.callee.lower().replace("_", ""):
            continue
        made = node.results[0]
        if made.ndim == 3 and tuple(made.shape[:2]) == tuple(ids.shape) and "Float" in str(made.dtype):
            return _Lookup(ids, place_of(node), node.callee)
    return None


def _padding_alone(losses: LossChanges, tensor) -> dict:
    """``padding_alone``: whether the loss changes with the padding and not with the real tokens of padded samples; empty where
    it has none, or where either cannot be told. A mask the wrong way round hides nothing of a sample without padding."""
    ids = to_numpy(tensor)
    padded = padded_places(ids)
    if padded is None:
        return {}
    real = ~padded & padded.any(1)[:, None]
    if len(np.unique(ids[real])) < _TOKENS:
        return {}
    rng = np.random.default_rng(6)
    other, filled = ids.copy(), ids.copy()
    other[real] = rng.permutation(ids[real])
    filled[padded] = rng.choice(ids[real], int(padded.sum()))
    as_before = losses.same({id(tensor): other}), losses.same({id(tensor): filled})
    return {} if None in as_before else {"padding_alone": as_before == (True, False)}


def _order(material, losses: LossChanges, tensor) -> dict:
    """``order_lost``: whether the loss stays as it is with the places of tokens and targets in another order alike, so that
    nothing tells places apart, and changes with the tokens; with ``pairs`` of places of one sample that hold the same token and
    ``different``, those of them with different targets. Empty where there are too few."""
    target = _targets(losses.batch, tensor)
    if target is None:
        return {}
    at = [next(i for i, one in enumerate(tensors_in(losses.batch)) if one is each) for each in (tensor, target)]
    pairs, different = _contradictions(material.batches, *at)
    if pairs < _PAIRS:
        return {}
    rng, places = np.random.default_rng(7), tensor.shape[1]
    order = np.roll(rng.permutation(places), 1)
    turned = {id(one): np.ascontiguousarray(to_numpy(one)[:, order]) for one in (tensor, target)}
    tokens = rng.permutation(to_numpy(tensor).reshape(-1)).reshape(tensor.shape)
    lost = losses.same(turned) is True and losses.same({id(tensor): tokens}) is not True
    return {"order_lost": lost, "pairs": pairs, "different": different}


def _targets(batch: tuple, tensor):
    """The one other input, whole numbers of the same shape; None where there are others, whose order is not known."""
    others = [one for one in tensors_in(batch) if one is not tensor]
    sound = len(others) == 1 and tuple(others[0].shape) == tuple(tensor.shape)
    return others[0] if sound and to_numpy(others[0]).dtype.kind in "iu" else None


def _contradictions(batches: list, first: int, second: int) -> tuple:
    """``(pairs, different)`` over neighbouring places among those of a sample that hold the same token."""
    pairs = different = 0
    for batch in batches:
        arrays = [to_numpy(one) for one in tensors_in(batch)]
        padded = padded_places(arrays[first])
        for row, (tokens, targets) in enumerate(zip(arrays[first], arrays[second])):
            order = np.argsort(tokens, kind="stable")
            same = tokens[order][1:] == tokens[order][:-1]
            if padded is not None:
                same &= ~padded[row][order][1:]
            pairs += int(same.sum())
            different += int((same & (targets[order][1:] != targets[order][:-1])).sum())
    return pairs, different
