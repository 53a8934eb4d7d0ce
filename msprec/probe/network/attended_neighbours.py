"""How much of the weight of each softmax over the nodes of a graph lies on their neighbours.

A mask that hides the nodes that are not linked leaves all of it there; one that is the wrong way round, none.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.inference_trace import InferenceTraces

#: Fewest nodes and largest matrices that are looked at; largest share of pairs that are neighbours.
_NODES, _LARGEST, _SPARSE = 8, 1 << 22, 0.3
#: Share of the pairs two steps apart that are neighbours too: of classes all are, of which no graph is made.
_CLASSES = 0.9


def attended_neighbours(traces: InferenceTraces) -> Optional[list]:
    """The entry ``attended_neighbours`` of ``probes.json``; None where no softmax is over the nodes of a graph.

    Args:
        traces: The step in inference mode.
    """
    trace = traces.of()
    graphs: dict = {}
    found: dict = {}
    for node in trace.nodes:
        name = plain_name(node)
        weights = node.results[0] if "softmax" in name and "log" not in name and node.results else None
        nodes = weights.shape[-1] if weights is not None and weights.ndim > 1 else 0
        if nodes < _NODES or weights.shape[-2] != nodes or weights.size > _LARGEST:
            continue
        if nodes not in graphs:
            graphs[nodes] = _graph(trace, nodes)
        if graphs[nodes] is not None:
            shares = to_numpy(weights).astype(np.float64).reshape(-1, nodes, nodes)
            on_neighbours = float((shares * graphs[nodes]).sum() / max(shares.sum(), 1e-12))
            masked = trace.producers.get(id(next(iter(node.inputs), None)))
            entry = {
                "operator": node.callee,
                "place": place_of(node),
                "given_by": place_of(masked) if masked is not None else None,
                "share": on_neighbours,
                "even": float(graphs[nodes].mean()),
            }
            found.setdefault(str((node.cell, entry["place"])), entry)
    return list(found.values())[:8] or None


def _graph(trace: GraphTrace, nodes: int) -> Optional[np.ndarray]:
    """The one matrix of zeros and ones among what no operator gave that says which nodes are neighbours."""
    given = {
        id(one): one
        for node in trace.nodes
        for one in node.inputs
        if tuple(getattr(one, "shape", ())) == (nodes, nodes)
    }
    matrices = [to_numpy(one) for key, one in given.items() if key not in trace.producers]
    # a mask is true for the neighbours or for all others
    masks = [mask for one in matrices if not (one < 0).any() for mask in (one != 0, one == 0)]
    graphs = [graph for mask in masks if (graph := _neighbours(mask)) is not None]
    return graphs[0] if graphs and all((graph == graphs[0]).all() for graph in graphs) else None


def _neighbours(mask: np.ndarray) -> Optional[np.ndarray]:
    """Who is whose neighbour, apart from itself, where the mask is that of a graph: symmetric, sparse, and not of classes."""
    linked = mask & ~np.eye(len(mask), dtype=bool)
    if not 0 < linked.mean() <= _SPARSE or (linked != linked.T).any() or np.ptp(linked.sum(1)) == 0:
        return None
    indirect = linked.astype(np.float32) @ linked.astype(np.float32) > 0
    np.fill_diagonal(indirect, False)
    return linked if indirect.any() and linked[indirect].mean() < _CLASSES else None
