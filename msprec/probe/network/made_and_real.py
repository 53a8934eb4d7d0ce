"""Whether a network that is to make samples like those of the data can: a layer that is given both knows the ranges of both.

A discriminator is called with samples of the batch and with what a generator made. What the generator's last activation bounds
can be told from real samples beyond those bounds at a glance, whatever is learnt.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import Node, ancestors, to_numpy
from msprec.probe.loss.loss_targets import is_learnt
from msprec.probe.steps.attainable_range import operator_place, output_of
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.runtime.cell_origins import created_place

#: Of the range, so much beyond its ends counts as within.
_MARGIN = 0.02


def made_and_real(trace: GraphTrace) -> list:
    """The entry ``made_and_real`` of ``probes.json``: layers with weights, given samples and a bounded output of others.

    Returns:
        list: of each ``operator``, ``place``, ``created``, ``low`` and ``high`` of what was made, ``real_place``, ``min`` and
        ``max`` of the samples, ``elements`` and how many are ``beyond``.
    """
    found = []
    for calls in _calls(trace).values():
        real = [one for one in calls if not is_learnt(trace, one.inputs[0])]
        for made in (one for one in calls if one not in real):
            entry = _entry(trace, made, real)
            if entry is not None and entry not in found:
                found.append(entry)
    return found[:4]


def _calls(trace: GraphTrace) -> dict:
    """``{id(layer): its calls}`` of layers that have weights of their own and were called several times."""
    calls: dict = {}
    for node in trace.nodes:
        layer = node.cell_object
        if layer is not None and node.inputs and any(p.size > 1 for p in layer.get_parameters(expand=False)):
            calls.setdefault(id(layer), []).append(node)
    return {key: nodes for key, nodes in calls.items() if len(nodes) > 1}


def _entry(trace: GraphTrace, made: Node, real: list) -> Optional[dict]:
    value, bounds = made.inputs[0], output_of(trace, made.inputs[0])
    same = [one.inputs[0] for one in real if tuple(one.inputs[0].shape)[1:] == tuple(value.shape)[1:]]
    if not same or bounds.node is None or not np.isfinite([bounds.low, bounds.high]).all() or _comes_from(made):
        return None
    samples = np.concatenate([to_numpy(one).reshape(-1) for one in same]).astype(np.float64)
    margin = _MARGIN * (bounds.high - bounds.low)
    beyond = (samples < bounds.low - margin) | (samples > bounds.high + margin)
    return {
        "operator": bounds.node.callee,
        "place": operator_place(bounds.node),
        "created": created_place(bounds.node.cell_object) if bounds.node.cell_object is not None else None,
        "low": float(bounds.low),
        "high": float(bounds.high),
        "real_place": place_of(next(one for one in real if one.inputs[0] is same[0])),
        "min": float(samples.min()),
        "max": float(samples.max()),
        "elements": int(samples.size),
        "beyond": int(beyond.sum()),
    }


def _comes_from(made: Node) -> bool:
    """Whether what a layer is given was computed by this layer before, as in a recurrent network."""
    return any(node.cell_object is made.cell_object for node in ancestors(made.sources))
