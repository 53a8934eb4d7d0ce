"""Ids that an operator makes one of before they are looked up: ``clamp``, a remainder, a division of whole numbers (cg.03)."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.probe.steps.inference_trace import InferenceTraces

LOOKS_UP = ("embedding", "gather", "embeddinglookup", "take", "indexselect")
_MERGES = ("clamp", "clip", "clipbyvalue", "minimum", "mod", "remainder", "floormod", "fmod", "floordiv", "floordivide")
#: Fewest different ids that come in.
_DIFFERENT = 8


def merged_ids(traces: InferenceTraces) -> Optional[dict]:
    """The entry ``merged_ids`` of ``probes.json``; None where no such operator stands before a lookup.

    Args:
        traces: The step in inference mode.

    Returns:
        dict: ``operator`` and ``place``; ``before`` and ``after``, the numbers of different ids in a batch; ``share`` of the
        ids in it that became one with others.
    """
    if not traces.batches:
        return None
    trace = traces.of(0)
    for node in trace.nodes:
        if plain_name(node) in LOOKS_UP:
            for value in node.inputs:
                found = _merged(trace, value)
                if found is not None:
                    return found
    return None


def _merged(trace: GraphTrace, value) -> Optional[dict]:
    source = trace.producers.get(id(value))
    if source is None or "Int" not in str(value.dtype) or plain_name(source) not in _MERGES or not source.inputs:
        return None
    given = next((one for one in source.inputs if "Int" in str(one.dtype) and one.shape == value.shape), None)
    if given is None:
        return None
    before, after = to_numpy(given).ravel(), to_numpy(value).ravel()
    kinds, first = np.unique(before, return_index=True)
    if len(kinds) < _DIFFERENT:
        return None
    targets, counts = np.unique(after[first], return_counts=True)
    return {
        "operator": source.callee,
        "place": place_of(source),
        "before": len(kinds),
        "after": len(targets),
        "share": float(np.isin(after, targets[counts > 1]).mean()),
    }
