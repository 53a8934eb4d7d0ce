"""Pairs of linear layers of which the second takes the first's output, with nothing in between that bends it (cg.03)."""

from collections.abc import Iterator
from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.schema import PRODUCTS
from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import is_builtin, is_wrapper_class
from msprec.runtime.source_locations import place_in

_DENSE, _CONVOLUTIONS = ("Dense", "Linear"), ("Conv1d", "Conv2d", "Conv3d")
#: What only moves values, casts them or, in inference, does nothing; in lower case, without ``_``.
_MOVES = [
    "reshape",
    "flatten",
    "unflatten",
    "transpose",
    "permute",
    "swapaxes",
    "swapdims",
    "view",
    "viewas",
    "expanddims",
    "unsqueeze",
    "squeeze",
    "contiguous",
    "identity",
    "moveaxis",
    "t",
    "mt",
    "astype",
    "cast",
    "to",
    "float",
    "half",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "flattencell",
]
#: Affine in inference.
_NORMALISES = ("batchnorm", "layernorm", "groupnorm", "instancenorm", "rmsnorm")


def linear_pairs(trace, live: set) -> list:
    """The entry ``linear_pairs`` of ``probes.json``.

    A pair is two of MindSpore's own Dense or convolution layers, each called once in the step and trainable, the first
    without an activation of its own, where nothing that the loss was computed from but the second, by way of operations that
    move or normalise values, takes the first's output.

    Args:
        trace: A `GraphTrace` of the step.
        live: Ids of the nodes that the loss was computed from.

    Returns:
        list: ``first`` and ``second`` are paths; ``sizes``: inputs of the first, outputs of the first, outputs of the second
        (features or channels); ``kernels`` and ``groups`` of convolutions; ``between``: the operations on the way.
    """
    # a result that the loss was not computed from was dropped, as of an activation whose value nobody took
    following = {source: [one for one in takers if id(one) in live] for source, takers in followers(trace).items()}
    found = []
    for node in trace.nodes:
        if id(node) in live and _is_linear(trace, node) and not getattr(node.cell_object, "activation_flag", False):
            between, second = _next_layer(trace, node, following)
            if second is not None and type(second.cell_object) is type(node.cell_object):
                found.append(_pair(trace, node, second, between))
    return found


def followers(trace) -> dict:
    """``{id(node): nodes that take its result}``; cells that only hold others are left out, as what they hold is there.

    Of one of MindSpore's that has weights too, as a Dense that holds its activation, what it holds is left out.
    """
    following: dict = {}
    weighted = {id(node) for node in trace.nodes if node.inner and _holds_weights(node.cell_object)}
    held = {id(inner) for node in trace.nodes if id(node) in weighted for inner in node.inner}
    for node in trace.nodes:
        if not node.results or id(node) in held or (holds_cells(node) and id(node) not in weighted):
            continue
        # what hands its input on as it is, as a dropout at rest does, makes nothing: who takes it takes the input
        if all(trace.producers.get(id(value)) in node.sources for value in node.results):
            continue
        for source in {id(source): source for source in node.sources}:
            following.setdefault(source, []).append(node)
    return following


def holds_cells(node) -> bool:
    """Whether a node is the call of a cell that holds others, of which some ran within it."""
    return node.cell_object is not None and bool(node.cell_object._cells) and bool(node.inner)


def _holds_weights(cell) -> bool:
    return cell is not None and is_builtin(type(cell)) and not is_wrapper_class(type(cell)) and bool(cell._params)


def normalization_of(node, following: dict):
    """The normalisation that alone takes a layer's output, by way of operations that move values; None where there is none.

    Args:
        following: As `followers` gives it.
    """
    for taker in _sole_takers(node, following):
        name = _operation(taker)
        if name.startswith(_NORMALISES):
            return taker
        if name not in _MOVES:
            return None
    return None


def _sole_takers(node, following: dict) -> Iterator:
    """The node that alone takes a node's result, the one that alone takes that one's, and so on."""
    while len(takes := following.get(id(node), [])) == 1:
        (node,) = takes
        yield node


def _is_linear(trace, node) -> bool:
    cell = node.cell_object
    if cell is None or not is_builtin(type(cell)) or type(cell).__name__ not in (*_DENSE, *_CONVOLUTIONS):
        return False
    weight = getattr(cell, "weight", None)
    known = bool(trace.paths.get(id(cell))) and trace.calls.get(id(cell)) == 1
    return known and weight is not None and bool(weight.requires_grad)


def _next_layer(trace, node, following: dict) -> tuple:
    """(operations on the way, the node of the next linear layer); None where something else takes the result."""
    between: list = []
    for taker in _sole_takers(node, following):
        if _is_linear(trace, taker):
            return between, taker
        name = _operation(taker)
        if name not in _MOVES and not name.startswith(_NORMALISES) and not _bends_nothing(trace, taker, name):
            break
        between.append(name)
    return between, None


def _bends_nothing(trace, node, name: str) -> bool:
    """Whether it is a leaky ReLU of slope 1, which gives values below 0 as they are, or a product with a matrix that was not
    computed in the step, as with the adjacency of a graph."""
    if name in PRODUCTS:
        return sum(trace.producers.get(id(value)) is not None for value in node.inputs) == 1
    if name != "leakyrelu" or not node.inputs or not node.results:
        return False
    given, made = to_numpy(node.inputs[0]), to_numpy(node.results[0])
    return given.shape == made.shape and bool((given < 0).any()) and np.allclose(given, made)


def _operation(node) -> str:
    name = type(node.cell_object).__name__ if node.cell_object is not None else node.operator.rsplit(".", 1)[-1]
    return name.lower().replace("_", "")


def _pair(trace, before, node, between: list) -> dict:
    cells = first, second = before.cell_object, node.cell_object
    return {
        "first": trace.paths[id(first)],
        "second": trace.paths[id(second)],
        "class": type(first).__name__,
        "sizes": [int(first.weight.shape[1]), int(first.weight.shape[0]), int(second.weight.shape[0])],
        "kernels": [[int(n) for n in cell.weight.shape[2:]] for cell in cells],
        "groups": [int(getattr(cell, "group", 1) or 1) for cell in cells],
        "between": between,
        "created": created_place(second),
        "place": _called_at(node),
        "before": _called_at(before),
    }


def _called_at(node) -> Optional[dict]:
    """The user's line that calls the layer."""
    expression = node.expression or (node.stack[-1] if node.stack else None)
    return place_in(expression.file, expression.line) if expression is not None else None
