"""A mask that lets a loss count those places alone whose targets are one and the same number (cg.04)."""

from typing import Optional

import numpy as np

from msprec.locate.trace import Node, ancestors, to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import place_of
from msprec.probe.steps.inference_trace import InferenceTraces, layers
from msprec.record.nested import tensors_in

#: Fewest different numbers among the targets that are left out, and least share of places of either kind.
_DISTINCT, _SHARE = 10, 0.05
_PRODUCTS, _DIFFERENCES = ("mul", "mult", "multiply"), ("sub", "subtract")


def masked_targets(traces: InferenceTraces) -> Optional[dict]:
    """The entry ``masked_targets`` of ``probes.json``: the difference of what layers give and an input of the step is multiplied
    by another, of zeros and ones, which is one in every captured batch where the former holds one number alone; else None.

    Args:
        traces: The step in inference mode.
    """
    first = _arrays(traces.batches[0])
    pairs = [(m, a) for m in range(len(first)) for a in range(len(first)) if m != a and _may_be(first[m], first[a])]
    batches = [first, *map(_arrays, traces.batches[1:])] if pairs else []
    for mask, targets in pairs:
        values = [_counted(batch, mask, targets) for batch in batches]
        node = _product(traces, first, mask, targets) if None not in values and len(set(values)) == 1 else None
        if node is not None:
            share = float(np.mean([batch[mask].mean() for batch in batches]))
            return {"mask": mask, "targets": targets, "value": values[0], "share": share, "place": place_of(node)}
    return None


def _arrays(batch: tuple) -> list:
    return [to_numpy(one) for one in tensors_in(batch)]


def _may_be(mask: np.ndarray, targets: np.ndarray) -> bool:
    return mask.shape == targets.shape and mask.ndim > 1 and targets.dtype.kind == "f" and _marks(mask)


def _marks(mask: np.ndarray) -> bool:
    """Whether it holds zeros and ones, some of each."""
    return bool(np.isin(mask, (0, 1)).all()) and _SHARE <= float(mask.mean()) <= 1 - _SHARE


def _counted(batch: list, mask: int, targets: int) -> Optional[float]:
    """The one number of the targets where the mask is 1; None where there are several, or few elsewhere."""
    if max(mask, targets) >= len(batch) or not _may_be(batch[mask], batch[targets]):
        return None
    inside, outside = (batch[targets][batch[mask] == one] for one in (1, 0))
    alone = np.ptp(inside) == 0 and len(np.unique(outside)) >= _DISTINCT
    return float(inside[0]) + 0.0 if alone else None  # no -0.0


def _product(traces: InferenceTraces, given: list, mask: int, targets: int) -> Optional[Node]:
    """The operator that multiplies the difference by the mask; None where another input is taken off as well."""
    trace = traces.of()
    others = [one for at, one in enumerate(given) if at not in (mask, targets)]
    found = set(map(id, layers(trace)))
    for node in trace.nodes:
        if plain_name(node) not in _PRODUCTS or not _takes(node, given[mask]):
            continue
        differences = [one for one in ancestors(node.sources) if plain_name(one) in _DIFFERENCES]
        of_targets = [one for one in differences if _takes(one, given[targets])]
        of_layers = any(found & set(map(id, ancestors([one], within=True))) for one in of_targets)
        if of_layers and not any(_takes(one, other) for one in differences for other in others):
            return node
    return None


def _takes(node, array: np.ndarray) -> bool:
    """Whether one of a node's inputs holds these numbers."""
    same = (one for one in node.inputs if tuple(getattr(one, "shape", ())) == array.shape)
    return any(np.array_equal(to_numpy(one), array) for one in same)
