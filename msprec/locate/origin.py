"""Which of the expressions of a replayed step made the first value that is not finite."""

import math
from typing import NamedTuple, Optional

from msprec.locate.trace import Node, Trace, bad_values
from msprec.record.nested import tensors_in

# these may make an infinity on purpose, as a mask does
_MAKERS = ("masked_fill", "full", "where", "fill", "Tensor", "tensor", "ones", "zeros")


class Culprit(NamedTuple):
    """``phase``: "data", "forward", "backward" or "update"; ``value``: for data, the input that was not finite."""

    phase: str
    node: Optional[Node]
    value: object = None
    parameter: object = None


def forward_culprit(trace: Trace, loss) -> Optional[Culprit]:
    """Follows the values that are not finite from the loss to where they began."""
    start = next(
        (trace.producers[id(v)] for v in tensors_in(loss) if any(bad_values(v)) and id(v) in trace.producers), None
    )
    if start is None:
        born = [node for node in trace.nodes if any(node.bad) and not any(node.bad_inputs) and not _on_purpose(node)]
        return Culprit("forward", born[0]) if born else None
    return _follow(start, set())


def _follow(node: Node, seen: set) -> Culprit:
    while id(node) not in seen:
        seen.add(id(node))
        sources = [source for source in node.sources if any(source.bad)]
        with_nan = [source for source in sources if source.bad[0]]
        if node.bad[0] and with_nan:
            node = with_nan[0]
        elif sources:
            origin = _follow(sources[0], seen)
            # an infinity that was put there on purpose is not what went wrong: what made a NaN of it is
            designed = origin.node is not None and _on_purpose(origin.node)
            return Culprit("forward", node) if designed and node.bad[0] else origin
        else:
            # a cell of MindSpore's around the user's, as mixed precision puts it, gives what was made within, cast
            inside = [one for one in node.inner if any(one.bad) and not any(one.bad_inputs) and not _on_purpose(one)]
            if not inside:
                break
            node = inside[0]
    outside = next((value for value in node.inputs if any(bad_values(value))), None)
    if outside is None or _made_inside(node, outside):
        return Culprit("forward", node)
    if type(outside).__name__ == "Parameter":
        return Culprit("update", node, outside, outside)
    return Culprit("data", node, outside)


def _made_inside(node: Node, value) -> bool:
    return any(value is result for source in node.sources for result in source.results)


def _on_purpose(node: Node) -> bool:
    """An infinity written as a number, or handed to an operator that fills in numbers."""
    name = node.operator.rsplit(".", 1)[-1]
    literal = any(math.isinf(value) for value in node.literals)
    return not node.bad[0] and (literal or (not node.inputs and name in _MAKERS))


def backward_culprit(trace: Trace, grads: list, weights: list) -> Optional[Culprit]:
    """The first gradient that is not finite, in the order in which they were computed.

    Of an expression's input: it was computed from a finite one by that expression's backward. Of a parameter inside a
    cell: by that cell's, where no later cell has a bad one.
    """
    edge = trace.bad_edges[0] if trace.bad_edges else None
    owned = _bad_parameter(trace, grads, weights)
    if owned is not None and (edge is None or trace.nodes.index(owned[0]) > _index(trace, edge.node)):
        return Culprit("backward", owned[0], parameter=owned[1])
    if edge is not None:
        edge.node.gradient = edge.gradient
        return Culprit("backward", edge.node, edge.value)
    return None


def _index(trace: Trace, node: Node) -> int:
    return next((i for i, one in enumerate(trace.nodes) if one is node), -1)


def _bad_parameter(trace: Trace, grads: list, weights: list) -> Optional[tuple]:
    """``(node, parameter)`` of the last node in forward order that owns a parameter with a bad gradient."""
    bad = {id(w): w for w, g in zip(weights, grads) if any(bad_values(g))}
    for node in reversed(trace.nodes):
        cell = node.cell_object
        held = [p for p in cell._params.values() if p is not None] if cell is not None else []
        held += [value for value in node.inputs if type(value).__name__ == "Parameter"]
        found = next((p for p in held if id(p) in bad), None)
        if found is not None:
            return node, found
    return None
