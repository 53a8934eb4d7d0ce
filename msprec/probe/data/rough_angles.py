"""Sines and cosines of float16 or bfloat16 numbers so large that neighbouring numbers lie a good part of a turn apart."""

import math

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import place_of
from msprec.probe.steps.inference_trace import InferenceTraces

#: Bits behind the first of a number's significand.
_BITS = {"Float16": 10, "BFloat16": 7}
#: Neighbouring numbers of so many radians and more are told; largest arrays that are looked at, in elements.
_ROUGH, _LARGEST = 0.1, 1 << 22


def rough_angles(traces: InferenceTraces) -> list:
    """The entry ``rough_angles`` of ``probes.json``: operators that take a sine or cosine of numbers whose neighbours lie 0.1
    radians or more apart, with the largest of these numbers, the step between neighbours there and their element type.

    Of bfloat16 it is for a device that is not here: no kernel of the CPU takes a sine of it, so that part was not run.

    Args:
        traces: The step in inference mode.
    """
    found = []
    for node in traces.of().nodes:
        if plain_name(node).strip("_") not in ("sin", "cos") or not node.inputs:
            continue
        given = node.inputs[0]
        kind = str(getattr(given, "dtype", ""))
        if kind not in _BITS or not 0 < given.size <= _LARGEST:
            continue
        largest = float(np.abs(to_numpy(given).astype(np.float64)).max())
        step = 2.0 ** (math.floor(math.log2(largest)) - _BITS[kind]) if 0 < largest < math.inf else 0.0
        if step >= _ROUGH:
            entry = {"operator": node.callee, "place": place_of(node), "cell": node.cell}
            found.append({**entry, "largest": largest, "step": step, "dtype": kind.lower()})
    return found[:4]
