"""A loss whose prediction lets no gradient through, while the target that it is compared with does."""

from typing import Optional

from msprec.locate.trace import Node, to_numpy
from msprec.probe.loss.loss_targets import is_learnt
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.loss_input_statistics import is_input
from msprec.probe.steps.numpy_losses import kind_called
from msprec.probe.steps.producing_operator import CARRIERS, past_carriers

_SIZES = ("square", "pow", "abs")
_STOPS = ("stop_gradient", "stopgradient", "detach")
_ARITHMETIC = ("add", "sub", "mul", "div", "rsub", "radd", "rmul", "where", "select", "masked_fill", "usub")


def stopped_predictions(trace: GraphTrace, inputs: list) -> list:
    """Where two tensors are compared, by a loss or by a difference whose size is taken: the one that a network alone gives is
    stopped, and the other, which the step's data and a network make up as rewards and the values of next states do, is not.

    Args:
        trace: A traced step.
        inputs: What it was called with, as arrays.

    Returns:
        list: The entries ``stopped_predictions`` of ``probes.json``.
    """
    found = []
    for node in trace.nodes:
        compares = kind_called(node.callee) or node.callee.lower() == "sub"
        if len(node.inputs) >= 2 and compares:
            one, other = node.inputs[:2]
            stop = _stopped(trace, one, other, inputs) or _stopped(trace, other, one, inputs)
            if stop is not None and (kind_called(node.callee) or _is_distance(trace, node)):
                found.append({"operator": stop.callee, "place": place_of(stop), "compared": place_of(node)})
    return found


def _is_distance(trace: GraphTrace, node: Node) -> bool:
    """Whether a difference is squared or taken without its sign."""
    users = [other for other in trace.nodes if node in other.sources]
    return any(
        user.callee.lower() in _SIZES or (user.callee.lower() == "mul" and user.inputs[0] is user.inputs[-1])
        for user in users
    )


def _stopped(trace: GraphTrace, predicted, target, inputs: list) -> Optional[Node]:
    """What stops the gradient of the prediction, where it should have been that of the target."""
    stop = _stopping(trace, predicted)
    if stop is None or not is_learnt(trace, predicted) or _holds_data(trace, predicted, inputs):
        return None
    moves = is_learnt(trace, target) and _holds_data(trace, target, inputs) and not _is_stopped(trace, target)
    return stop if moves else None


def _stopping(trace: GraphTrace, value) -> Optional[Node]:
    """The node that stops the gradient of a tensor, past those that only carry it."""
    node = past_carriers(trace, value)
    return node if node is not None and node.callee.lower() in _STOPS else None


def _parts(trace: GraphTrace, value) -> list:
    """``(tensor, node that gave it)`` of what a tensor was added, subtracted and multiplied from; a part that no node gave has
    None."""
    waiting, found, seen = [value], [], set()
    while waiting:
        tensor = waiting.pop()
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        node = trace.producers.get(id(tensor))
        name = node.callee.lower().rsplit(".", 1)[-1] if node is not None else ""
        if node is not None and (name in _ARITHMETIC or name in CARRIERS):
            waiting.extend(node.inputs)
        else:
            found.append((tensor, node))
    return found


def _holds_data(trace: GraphTrace, value, inputs: list) -> bool:
    """Whether one of the step's inputs, of more than one number, is among its parts."""
    parts = [tensor for tensor, node in _parts(trace, value) if node is None and "Float" in str(tensor.dtype)]
    return any(tensor.size > 1 and is_input(to_numpy(tensor), inputs) for tensor in parts)


def _is_stopped(trace: GraphTrace, value) -> bool:
    """Whether each of its parts that weights gave is stopped."""
    learnt = [(tensor, node) for tensor, node in _parts(trace, value) if node is not None and is_learnt(trace, tensor)]
    return all(node.callee.lower() in _STOPS for _, node in learnt)
