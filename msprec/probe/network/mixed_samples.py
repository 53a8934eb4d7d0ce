"""Whether a network in inference mode gives a sample another result when another sample of its batch changes.

Only forward passes run, with the weights of the end.
"""

import contextlib
from typing import Optional

import numpy as np

from msprec.locate.gradients import Updated
from msprec.locate.replay import ReplayedStep, undisturbed, watched
from msprec.locate.trace import Node, to_numpy
from msprec.probe.loss.loss_targets import is_learnt
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.record.nested import tensors_in
from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import is_builtin
from msprec.runtime.rng_state import random_state

#: Smallest batch that is looked at, and largest result, in elements.
_FEWEST, _LARGEST = 4, 1 << 22
#: Layers that go along an axis from one place to the next; in lower case, as `plain_name` gives them.
_RECURRENT = ("lstm", "gru", "rnn")
#: A change counts as one above this share of the largest; samples that have to change for one to depend on the others.
_CHANGED, _MANY = 1e-5, 0.5
#: No finding: samples are compared with each other.
_COMPARED: dict = {}


class _InCells(GraphTrace):
    """A `GraphTrace` that keeps for each node the cell in whose `construct` it stands, and what each cell gave.

    ``holders``: ``{id(node): cell}``; ``shapes``: ``{id(cell): shape of the first tensor it gave}``.
    """

    def __init__(self, step: ReplayedStep) -> None:
        super().__init__(step)
        self.backward = False
        self.holders, self.shapes, self._within = {}, {}, []

    def cell_call(self, original, cell, args, kwargs):
        """A call of a cell."""
        self._within.append(cell)
        try:
            result = super().cell_call(original, cell, args, kwargs)
        finally:
            self._within.pop()
        first = next(tensors_in(result), None)
        self.shapes[id(cell)] = tuple(first.shape) if first is not None else ()
        return result

    def _node(self, *args, **kwargs):
        result = super()._node(*args, **kwargs)
        holding = [cell for cell in self._within if cell._cells or not is_builtin(type(cell))]
        self.holders[id(self.nodes[-1])] = holding[-1] if holding else None
        return result

    def in_network(self, node: Node, rows: int) -> bool:
        """Whether it stands in a cell that gives a result for each sample: a loss may well compare the samples of a batch."""
        holder = self.holders.get(id(node))
        return holder is not None and self.shapes.get(id(holder), ())[:1] == (rows,)


def mixed_samples(material) -> Optional[dict]:
    """The entry ``mixed_samples`` of ``probes.json``: the first operation in a network whose result changes for all samples when
    one of them is replaced by another, or a recurrent layer whose result changes for the next one; None where there is none, or
    where it compares the samples with each other.

    Args:
        material: What the run has left.
    """
    batch = material.batches[0]
    tensors = [one for one in tensors_in(batch) if one.ndim]
    lengths = {int(one.shape[0]) for one in tensors}
    if len(lengths) != 1 or min(lengths) < _FEWEST or all(one.ndim < 2 for one in tensors):
        return None
    rows = lengths.pop()
    found = _mixed_in(material, batch, rows)
    fewer = next((n for n in range(rows - 1, _FEWEST - 1, -1) if all(n % k for k in range(2, n))), None)
    if found is _COMPARED and fewer is not None:
        # a layer may happen to be as wide as the batch is long; a prime number of samples tells them apart
        found = _mixed_in(material, _first(batch, fewer), fewer)
    return {**found, "rows": rows} if found else None


def _mixed_in(material, batch: tuple, rows: int) -> Optional[dict]:
    """As `mixed_samples`, of one batch; `_COMPARED` where an operation compares the samples, or cannot be told from one."""
    with material.in_inference():
        state = random_state(False)
        plain, again = _run(material, batch, state), _run(material, batch, state)
        # less than half of the samples come behind each; a sample that counts little, as a short one may, shows little
        for at in dict.fromkeys(((rows + 1) // 2, min((3 * rows) // 4, rows - 2), rows - 2)):
            other = _run(material, _replaced(batch, at), state)
            found = _first_mixed((plain, again, other), batch, rows, at)
            if found is not None:
                return found
    return None


def _first_mixed(runs: tuple, batch: tuple, rows: int, at: int) -> Optional[dict]:
    """Of a run, the same again and one with the sample ``at`` replaced: the first operation that mixes samples."""
    plain, again, other = runs
    if len(plain.nodes) != len(other.nodes) or len(plain.nodes) != len(again.nodes):
        return None
    for one, same, changed in zip(plain.nodes, again.nodes, other.nodes):
        if one.callee != changed.callee:
            return None
        if not plain.in_network(one, rows) or not any(is_learnt(plain, value) for value in one.results):
            continue
        matrix = any(tuple(getattr(value, "shape", ())) == (rows, rows) for value in one.inputs)
        found = _dependence((one, same, changed), rows, at, plain_name(one) in _RECURRENT, matrix)
        if found == "compared":
            return _COMPARED
        if found == "mixed":
            return {
                "operator": one.callee,
                "name": plain_name(one),
                "cell": one.cell,
                "place": place_of(one),
                "created": created_place(one.cell_object) if one.cell_object is not None else None,
                "rows": rows,
                "matrix": matrix,
                "one_label": any(tuple(value.shape) in ((rows,), (rows, 1)) for value in tensors_in(batch)),
            }
    return None


def _first(batch: tuple, rows: int) -> tuple:
    """The first samples of a batch."""
    return tuple(value[:rows] if hasattr(value, "asnumpy") and value.ndim else value for value in batch)


def _replaced(batch: tuple, at: int) -> tuple:
    """The batch with the inputs of its first sample in the place of those of sample ``at``."""
    from mindspore import Tensor

    def other(value):
        if value is None or not hasattr(value, "asnumpy") or not value.ndim:
            return value
        array = to_numpy(value).copy()
        array[at] = array[0]
        return Tensor(array, value.dtype)

    return tuple(other(value) for value in batch)


def _run(material, batch: tuple, state) -> _InCells:
    step: ReplayedStep = material.build(batch)
    with undisturbed(step.parameters, state, None, False):
        trace = _InCells(step)
        with watched(trace), contextlib.suppress(Updated):
            if step.forward is not None:
                trace.call_function(step.forward, step.inputs)
            else:
                step.run(trace, step.scale)
    return trace


def _dependence(runs: tuple, rows: int, at: int, recurrent: bool, matrix: bool) -> Optional[str]:
    """ "mixed": the results of most samples changed, of a recurrent layer that of the next, or those of any by a matrix of
    samples and samples, as the nodes of a graph have; "compared": the result has the samples on two axes."""
    for before, again, after in zip(*(one.results for one in runs)):
        floats = "Float" in str(before.dtype) and 0 < before.size <= _LARGEST and before.shape == after.shape
        if not floats or not before.ndim or before.shape[0] != rows:
            continue
        if rows in before.shape[1:]:
            return "compared"
        values, control, others = (to_numpy(v).astype(np.float64).reshape(rows, -1) for v in (before, again, after))
        moved = np.abs(others - values).max(1)
        least = _CHANGED * float(np.abs(values).max())
        if not np.isfinite(moved).all() or np.abs(control - values).max() > 0.1 * least:
            return "compared"  # it does not repeat itself: nothing can be told from it
        others_moved = np.delete(moved, at) > least
        if others_moved.mean() >= _MANY or (matrix and others_moved.any()):
            return "mixed"
        # rows of one step each, (rows, 1, features), may well be the steps of one sequence
        if recurrent and before.ndim == 3 and before.shape[1] > 1 and moved[at + 1] > least:
            return "mixed"
    return None
