"""Targets of losses that take 1 and -1 for alike and different, above and below, or the two classes."""

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of

#: MindSpore's losses with such a target as their last array, as classes and, with underscores, as functions.
_SIGNED = ("cosineembeddingloss", "marginrankingloss", "hingeembeddingloss", "softmarginloss")


def signed_targets(trace: GraphTrace) -> list:
    """The entry ``signed_targets`` of ``probes.json``: of each such loss its least and largest target and how many of them are
    neither 1 nor -1."""
    found, seen = [], set()
    for node in trace.nodes:
        if not node.inputs or not node.callee.lower().replace("_", "").startswith(_SIGNED):
            continue
        target, place = to_numpy(node.inputs[-1]).astype(np.float64), place_of(node)
        if not target.size or str(place) in seen:
            continue
        seen.add(str(place))
        found.append(
            {
                "name": node.callee,
                "place": place,
                "min": float(target.min()),
                "max": float(target.max()),
                "elements": int(target.size),
                "other": int((np.abs(target) != 1).sum()),
            }
        )
    return found
