"""What the targets of a loss are: which input of the step, their range, and how many lie beyond what the output can give."""

from typing import Optional

import numpy as np

from msprec.locate.trace import ancestors, to_numpy
from msprec.probe.steps.attainable_range import affine
from msprec.probe.steps.connectivity_trace import GraphTrace
from msprec.probe.steps.loss_input_statistics import described
from msprec.record.nested import tensors_in

#: How far beyond the range of the output a target counts as beyond, as a share of the targets' own range.
_BEYOND = 1e-2
#: Elements of the held batches that are read.
_MOST = 1 << 24


class Sources:
    """The inputs of a step, of the watched batch and of the others that are held, as arrays.

    Args:
        inputs: What the watched step was called with.
        batches: The inputs of the steps that are held.
    """

    def __init__(self, inputs: tuple, batches: list) -> None:
        self.inputs = [to_numpy(value) for value in tensors_in(inputs)]
        self._batches, self._read = batches, {}

    def find(self, target: np.ndarray) -> Optional[tuple]:
        """``(position, factor, offset)`` of the input that the targets are, of equal ones the last, or are computed from; None:
        of none."""
        flat = target.reshape(-1).astype(np.float64) if target.dtype.kind in "fiub" else None
        if flat is None or not flat.size:
            return None
        same_size = [
            (i, one) for i, one in enumerate(self.inputs) if one.size == flat.size and one.dtype.kind in "fiub"
        ]
        for i, one in reversed(same_size):
            if np.array_equal(one.reshape(-1).astype(np.float64), flat):
                return i, 1.0, 0.0
        for i, one in same_size:
            fitted = affine(one.astype(np.float64), target.astype(np.float64)) if one.size > 2 else None
            if fitted is not None and len(np.unique(flat)) > 2:
                return i, *fitted
        return None

    def held(self, position: int) -> list:
        """The arrays of one input in all batches that are held."""
        if position not in self._read:
            found, size = [], 0
            for batch in self._batches:
                values = list(tensors_in(batch))
                if position < len(values) and size < _MOST:
                    found.append(to_numpy(values[position]))
                    size += found[-1].size
            self._read[position] = found or [self.inputs[position]]
        return self._read[position]


def target_facts(trace: GraphTrace, value, output: dict, sources: Sources, label: Optional[np.ndarray] = None) -> dict:
    """The entry ``targets`` of a loss in ``probes.json``.

    Args:
        trace: A watched step.
        value: The targets as they enter the loss; None where only ``label``, their array, is known.
        output: The entry ``output``.
        sources: The step's inputs.
    """
    array = label if label is not None else to_numpy(value)
    found = sources.find(array)
    position, factor, offset = found if found is not None else (None, 1.0, 0.0)
    arrays = (
        [array] if position is None else [factor * one.astype(np.float64) + offset for one in sources.held(position)]
    )
    below, above, elements, marks = beyond(arrays, output["low"], output["high"])
    rows = _rows(arrays if array.ndim > 1 and arrays[0].ndim > 1 else [array])
    known = array.size and array.dtype.kind in "fiub"
    whole = described(array if array.dtype.kind != "b" else array.astype(np.int8), str(array.dtype))
    return {
        **whole,
        "input": position,
        "inputs": len(sources.inputs),
        "input_dtype": str(sources.inputs[position].dtype) if position is not None else None,
        "factor": factor,
        "offset": offset,
        "learnt": value is not None and is_learnt(trace, value),
        "min": float(min(np.nanmin(one) for one in arrays)) if known else None,
        "max": float(max(np.nanmax(one) for one in arrays)) if known else None,
        "batches": len(arrays),
        "elements": elements,
        "below": below,
        "above": above,
        "beyond_values": marks,
        **rows,
    }


def beyond(arrays: list, low: Optional[float], high: Optional[float]) -> tuple:
    """``(below, above, elements, values)``: how many finite values lie clearly below ``low`` and above ``high``, and how
    many different ones those are."""
    values = np.concatenate([one.reshape(-1).astype(np.float64) for one in arrays]) if arrays else np.zeros(0)
    values = values[np.isfinite(values)]
    if not values.size:
        return 0, 0, 0, 0
    slack = _BEYOND * float(np.ptp(values)) if np.ptp(values) > 0 else _BEYOND * max(abs(float(values[0])), 1e-6)
    below = values < low - slack if low is not None else np.zeros(values.shape, bool)
    above = values > high + slack if high is not None else np.zeros(values.shape, bool)
    return int(below.sum()), int(above.sum()), int(values.size), len(np.unique(values[below | above]))


def _rows(arrays: list) -> dict:
    """Rows along axis 1: how many there are, how many hold several ones among zeros, how many do not add up to one."""
    rows = several = other = 0
    for array in arrays:
        if array.ndim < 2 or array.shape[1] < 2 or array.dtype.kind not in "fiub":
            return {"rows": None, "several": None, "not_one": None}
        sums = array.astype(np.float64).sum(axis=1)
        rows += sums.size
        other += int((np.abs(sums - 1) > 0.05).sum())
        if np.isin(array, (0, 1)).all():
            several += int((sums > 1.5).sum())
    return {"rows": rows, "several": several, "not_one": other}


def is_learnt(trace: GraphTrace, value) -> bool:
    """Whether a tensor was computed with weights, as the output of a teacher or of another network is."""
    for node in ancestors([trace.producers.get(id(value))]):
        if any(type(one).__name__ == "Parameter" and one.size > 1 for one in node.inputs):
            return True
        held = node.cell_object
        if held is not None and any(p is not None and p.size > 1 for p in held.get_parameters()):
            return True
    return False
