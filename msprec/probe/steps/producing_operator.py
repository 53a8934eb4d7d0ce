"""What made the tensor that a loss was given."""

from typing import Optional

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.loss_input_statistics import described

#: Operators that leave the values as they are, or only put them elsewhere.
CARRIERS = (
    "reshape",
    "view",
    "squeeze",
    "expand_dims",
    "unsqueeze",
    "transpose",
    "permute",
    "cast",
    "astype",
    "to",
    "float",
    "half",
    "flatten",
    "ravel",
    "[]",
    "getitem",
    "contiguous",
    "identity",
    "reduce",
    "swapaxes",
)


_SCALES = ("div", "truediv", "realdiv", "mul", "mult", "multiply")
_JOINS = ("cat", "concat", "concatenate", "hstack")


def producer_of(trace: GraphTrace, value) -> Optional[Node]:
    """The node that gave a tensor, or, of one that MindSpore itself cast on its way (``amp_level``), the last that gave
    the same numbers; None: none did."""
    node = trace.producers.get(id(value))
    if node is not None or "Float" not in str(value.dtype) or type(value).__name__ == "Parameter":
        return node
    array = to_numpy(value)
    for node in reversed(trace.nodes):
        for result in node.results:
            same_form = result.shape == value.shape and "Float" in str(result.dtype)
            if same_form and result.size > 1 and np.array_equal(to_numpy(result).astype(array.dtype), array):
                return trace.producers.get(id(result), node)
    return None


def past_carriers(trace: GraphTrace, value, carriers: tuple = CARRIERS) -> Optional[Node]:
    """The node that gave a tensor, past those of one tensor that only carry it; None: none did."""
    node = trace.producers.get(id(value))
    while node is not None and node.callee.lower() in carriers and len(node.sources) == 1:
        node = node.sources[0]
    return node


def source_of(trace: GraphTrace, value) -> Optional[dict]:
    """The operator that made a tensor, past those that only carry it."""
    node = producer_of(trace, value)
    for _ in range(20):
        if node is None:
            return None
        name = node.callee.lower()
        if name.startswith("_outputto") and node.inner:  # what mixed precision puts around a network: a cast
            node = node.inner[-1]
            continue
        if name not in CARRIERS or len(node.sources) != 1:
            return {"operator": node.callee, "place": place_of(node), "cell": node.cell, "given": _range(node)}
        node = node.sources[0]
    return None


def joined_columns(trace: GraphTrace, value) -> Optional[dict]:
    """Of a prediction (rows, columns) whose columns were put together from several tensors, also where it was scaled since:
    how many columns each of them gave.

    Returns:
        dict: ``widths``, in order, and the ``place`` where they were put together; None of any other prediction.
    """
    node = past_carriers(trace, value, (*CARRIERS, *_SCALES))
    if node is None or node.callee.lower() not in _JOINS or value.ndim != 2:
        return None
    shapes = [tuple(one.shape) for one in node.inputs]
    widths = [shape[1] for shape in shapes if len(shape) == 2 and shape[0] == value.shape[0]]
    if len(widths) != len(shapes) or len(widths) < 2 or sum(widths) != value.shape[1]:
        return None
    return {"widths": widths, "place": place_of(node)}


def rows_of_channels(trace: GraphTrace, value) -> Optional[dict]:
    """Of a prediction (rows, classes) whose rows hold neighbouring places of one channel, not the classes of one place: a
    convolution's result (batch, classes, …) was reshaped without moving its axis of channels to the end.

    Returns:
        dict: ``shape`` of that result, ``place`` of the reshape and its ``operator``; None where it is not so.
    """
    node, carried = producer_of(trace, value), None
    while node is not None and node.callee.lower() in CARRIERS and node.sources and node.inputs:
        whole = node.inputs[0]
        carried = node if whole.ndim > 2 and value.ndim == 2 else carried
        node = node.sources[0]
    if carried is None or node is None or not node.results:
        return None
    given, classes = node.results[0], value.shape[-1]
    apart = given.ndim > 2 and given.shape[1] == classes > 1 and given.shape[-1] != classes
    if not apart or given.size != value.size or not _of_convolution(node):
        return None
    array, rows = to_numpy(given), to_numpy(value)
    moved = np.moveaxis(array, 1, -1).reshape(-1, classes)
    if not np.array_equal(array.reshape(-1, classes), rows) or np.array_equal(moved, rows):
        return None
    return {"shape": list(given.shape), "operator": carried.callee, "place": place_of(carried)}


def _of_convolution(node: Optional[Node], steps: int = 6) -> bool:
    """Whether a convolution gave it, with nothing but activations and the like after it."""
    for _ in range(steps):
        if node is None:
            return False
        if "conv" in node.callee.lower() or any("conv" in inner.callee.lower() for inner in node.inner):
            return True
        node = node.sources[0] if node.sources else None
    return False


def _range(node: Node) -> Optional[list]:
    """The smallest and largest finite value of what an operator was given first."""
    if not node.inputs:
        return None
    found = described(to_numpy(node.inputs[0]), "")
    return None if found["min"] is None else [found["min"], found["max"]]
