"""What made the tensor that a loss was given."""

from typing import Optional

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


def source_of(trace: GraphTrace, value) -> Optional[dict]:
    """The operator that made a tensor, past those that only carry it."""
    node = trace.producers.get(id(value))
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
