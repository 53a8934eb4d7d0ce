"""What made the tensor that a loss was given."""

from typing import Optional

import numpy as np

from msprec.locate.trace import Node, to_numpy
from msprec.probe.connectivity_trace import GraphTrace, place_of
from msprec.probe.loss_input_statistics import described

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


def _range(node: Node) -> Optional[list]:
    """The smallest and largest finite value of what an operator was given first."""
    if not node.inputs:
        return None
    found = described(to_numpy(node.inputs[0]), "")
    return None if found["min"] is None else [found["min"], found["max"]]
