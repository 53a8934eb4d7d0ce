"""Inputs of which the loss depends on the first places alone, or on the last ones: a network that reads the wrong step of a
recurrent layer, or whose convolutions are padded at the other end.

Only forward passes run, in inference mode.
"""

from typing import Optional

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import Node, to_numpy
from msprec.probe.loss.loss_changes import LossChanges
from msprec.probe.network.attended_padding import padded_places
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of, run_forward
from msprec.record.nested import replaced, tensors_in
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.cell_origins import created_place

#: Fewest places and samples, and largest batch in elements; share of what is replaced that has to differ.
_PLACES, _SAMPLES, _LARGEST, _DIFFERENT = 8, 4, 1 << 20, 0.3
#: Layers that forget: the first places of a long sequence may change nothing behind them.
_FORGETS = ("lstm", "gru", "rnn")
_MOST_PADS = 4


def unread_places(material, seconds: float) -> list:
    """The entry ``unread_places`` of ``probes.json``: that half or more of the places of the first input, a sequence or picture,
    change nothing in the loss along an axis, and the rest does. Of targets a part alone may well be asked for.

    Args:
        material: What the run has left.
        seconds: The longest it may take, beside the first forward pass.

    Raises:
        Cannot: ``slow`` where it takes longer.
    """
    until, batch, found = busy_seconds() + seconds, material.batches[-1], []
    tensor = next(tensors_in(batch), None)
    if tensor is None or not _is_sequence(to_numpy(tensor)):
        return []
    with material.in_inference():
        losses = LossChanges(material, batch, until)
        for axis in _axes(tensor):
            one = _unread(losses, tensor, axis)
            if one is not None:
                found.append({**one, **_where(material, batch, tensor, axis, one)})
    return found


def _is_sequence(array: np.ndarray) -> bool:
    enough = array.ndim >= 2 and len(array) >= _SAMPLES and array.size <= _LARGEST and max(array.shape[1:]) >= _PLACES
    ids = array.dtype.kind in "iu" and array.ndim == 2 and padded_places(array) is None
    return enough and (ids or (array.dtype.kind == "f" and array.ndim >= 3))


def _axes(tensor) -> list:
    return [axis for axis in range(1, tensor.ndim) if tensor.shape[axis] >= _PLACES]


def _unread(losses: LossChanges, tensor, axis: int) -> Optional[dict]:
    """The side, and the number of places at the other side that are read; None where both halves are, or neither is."""
    size = tensor.shape[axis]
    halves = {side: _unchanged(losses, tensor, axis, side, size // 2) for side in ("first", "last")}
    sides = [side for side, same in halves.items() if same]
    if len(sides) != 1 or None in halves.values():
        return None
    low, high = size // 2, size  # so many are unread, so many cannot all be
    while high - low > 1:
        middle = (low + high) // 2
        if _unchanged(losses, tensor, axis, sides[0], middle):
            low = middle
        else:
            high = middle
    return {"shape": list(tensor.shape), "axis": axis, "unread": sides[0], "read": size - low}


def _unchanged(losses: LossChanges, tensor, axis: int, side: str, count: int) -> Optional[bool]:
    """Whether the loss stays as it is with the ``count`` places of a side taken from another sample; None where these hardly
    differ."""
    other = _exchanged(to_numpy(tensor), axis, side, count)
    return losses.unchanged({id(tensor): other}) if other is not None else None


def _exchanged(array: np.ndarray, axis: int, side: str, count: int) -> Optional[np.ndarray]:
    part = (slice(None),) * axis + (slice(None, count) if side == "first" else slice(array.shape[axis] - count, None),)
    other = array.copy()
    other[part] = np.roll(array[part], 1, axis=0)
    return other if (other[part] != array[part]).mean() >= _DIFFERENT else None


def _where(material, batch: tuple, tensor, axis: int, found: dict) -> dict:
    """The first operation that takes what differs and gives the same, and what pads before it."""
    from mindspore import Tensor

    size = tensor.shape[axis]
    other = Tensor(_exchanged(to_numpy(tensor), axis, found["unread"], size - found["read"]), tensor.dtype)
    one, two = (_trace(material, each) for each in (batch, replaced(batch, tensor, other)))
    nodes = list(zip(one.nodes, two.nodes)) if len(one.nodes) == len(two.nodes) else []
    lost = next((number for number, (a, b) in enumerate(nodes) if _loses(a, b)), None)
    before = [a for a, _ in nodes[:lost]] if lost is not None else []
    pads = [node for node in before if "pad" in plain_name(node)]
    forgets = any(word in plain_name(node) for node in one.nodes for word in _FORGETS)
    return {
        "operator": nodes[lost][0].callee if lost is not None else None,
        "place": place_of(nodes[lost][0]) if lost is not None else None,
        "forgets": forgets,
        "pads": [_made(node) for node in pads][:_MOST_PADS],
    }


def _made(node: Node) -> Optional[dict]:
    return (created_place(node.cell_object) if node.cell_object is not None else None) or place_of(node)


def _trace(material, batch: tuple) -> GraphTrace:
    step = material.build(batch)
    with undisturbed(step.parameters, None, None, False):
        return run_forward(step)[0]


def _loses(one: Node, other: Node) -> bool:
    given = any(_differs(a, b) for a, b in zip(one.inputs, other.inputs))
    made = [(a, b) for a, b in zip(one.results, other.results) if "Float" in str(getattr(a, "dtype", ""))]
    return given and bool(made) and not any(_differs(a, b) for a, b in made)


def _differs(a, b) -> bool:
    if not hasattr(a, "asnumpy") or not hasattr(b, "asnumpy") or a.shape != b.shape:
        return False
    first, second = to_numpy(a), to_numpy(b)
    if first.dtype.kind == "f":
        return not np.allclose(first, second, rtol=1e-6, atol=1e-7)
    return bool((first != second).any())
