"""Whether one number of each sample's inputs is the sample's target, and the loss changes with it.

Only forward passes run, in inference mode, with the weights of the end.
"""

from typing import Callable, Optional

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import to_numpy
from msprec.probe.steps.connectivity_trace import run_forward
from msprec.record.nested import tensors_in
from msprec.runtime.rng_state import random_state
from msprec.runtime.scalars import first_scalar

#: Samples that must agree; values of a sample that are looked at; samples that must have another target than the commonest.
_SAMPLES, _VALUES, _OTHERS = 64, 1 << 14, 16
#: Relative difference up to which two numbers are the same, in float32.
_EQUAL = 1e-6


def target_in_inputs(material, losses: list) -> Optional[dict]:
    """The entry ``target_in_inputs`` of ``probes.json``; None where no input holds the targets, or the loss does not see it.

    A sequence, (batch, steps, values) or whole numbers (batch, steps), is looked at in its last step only: to give back an
    earlier one is a task of its own. Of several targets a sample those count that are the last steps of a window.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.
    """
    positions = {one["targets"]["input"] for one in losses}
    if len(losses) != 1 or None in positions:
        return None
    target = positions.pop()
    batches = [[to_numpy(one) for one in tensors_in(batch)] for batch in material.batches]
    held = [arrays[target] if target < len(arrays) else np.zeros(()) for arrays in batches]
    if any(one.ndim == 0 or not one.size for one in held) or len({one.shape[1:] for one in held}) != 1:
        return None
    aimed = np.concatenate([one.reshape(len(one), -1) for one in held])
    found = _column(batches, target, aimed[:, 0]) if aimed.shape[1] == 1 else _end_of_window(batches, target, aimed)
    if found is None:
        return None
    position, at, told = found
    with material.in_inference():
        seen = _is_seen(material, position, at)
    return {"input": position, **told, "samples": len(aimed), "target": target} if seen else None


def _column(batches: list, target: int, aimed: np.ndarray) -> Optional[tuple]:
    """``(input, index of the column, {"column"})`` of the first column of an input's flattened samples that holds the targets,
    (samples,)."""
    counts = np.unique(aimed, return_counts=True)[1]
    if len(aimed) < _SAMPLES or len(aimed) - counts.max() < _OTHERS:
        return None
    for position in range(len(batches[0])):
        columns = _columns(batches, position) if position != target else None
        if columns is None or len(columns) != len(aimed):
            continue
        equal = np.isclose(columns, aimed[:, None], rtol=_EQUAL, atol=0).all(0)
        if equal.any():
            column = int(equal.argmax())
            part = _compared(batches[0][position])
            sequence = part.shape != batches[0][position].shape
            at = np.unravel_index(column, part.shape[1:])
            return position, (slice(None), *((-1, *at[1:]) if sequence else at)), {"column": column}
    return None


def _end_of_window(batches: list, target: int, aimed: np.ndarray) -> Optional[tuple]:
    """``(input, index of the steps, {"column", "steps", "of_targets"})`` where the first of several real targets, (samples,
    targets), are the last steps of a longer window of one series; its steps and its column. Not of a series that repeats itself,
    whose future is its past, nor where all but the last target are: a network that goes through the window step by step may
    be given the step after each, and see none of them too early."""
    if aimed.dtype.kind != "f" or len(aimed) < _SAMPLES or not np.ptp(aimed, axis=0).all():
        return None
    for position in range(len(batches[0])):
        arrays = _arrays(batches, position) if position != target else []
        windows = np.concatenate(arrays) if arrays else np.zeros((0, 0), int)
        if windows.dtype.kind != "f" or len(windows) != len(aimed) or windows.shape[1] <= aimed.shape[1]:
            continue
        whole = windows.shape[1]
        for column, series in enumerate(np.moveaxis(windows.reshape(*windows.shape[:2], -1), 2, 0)):
            begins = np.flatnonzero(_same(series, aimed[:, :1]))
            begin = int(begins[-1]) if len(begins) else whole
            steps = whole - begin
            shifted = steps == aimed.shape[1] - 1
            ends = 0 < steps <= aimed.shape[1] and not shifted and all(_same(series[:, begin:], aimed[:, :steps]))
            if ends and not any(_same(series[:, 1:], series[:, :1])):
                at = (slice(None), slice(begin, None), *((column,) if windows.ndim == 3 else ()))
                return position, at, {"column": column, "steps": steps, "of_targets": int(aimed.shape[1])}
    return None


def _same(numbers: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(columns,): whether numbers, (samples, columns), are the others in all samples."""
    return np.isclose(numbers, others, rtol=_EQUAL, atol=0).all(0)


def _columns(batches: list, position: int) -> Optional[np.ndarray]:
    """(samples, numbers) of an input that holds several numbers a sample; of a sequence those of its last step."""
    arrays = _arrays(batches, position)
    if not arrays:
        return None
    size = int(np.prod(arrays[0].shape[1:]))
    if not 1 < size <= _VALUES:
        return None
    return np.concatenate([_compared(one).reshape(len(one), -1) for one in arrays])


def _arrays(batches: list, position: int) -> list:
    """An input of all batches, of numbers (samples, …) with one or two axes more; empty where it is none or of several shapes."""
    arrays = [one[position] for one in batches if position < len(one)]
    alike = len({one.shape[1:] for one in arrays}) == 1
    return arrays if alike and arrays[0].dtype.kind in "fiu" and arrays[0].ndim in (2, 3) else []


def _compared(array: np.ndarray) -> np.ndarray:
    """The numbers of each sample that are held against its target: of a sequence those of the last step; a view."""
    return array[:, -1:] if array.dtype.kind in "iu" or array.ndim == 3 else array


def _is_seen(material, position: int, at: tuple) -> bool:
    """Whether the loss of a batch changes with the numbers at an index, and not by itself; of a network that gives the same
    whatever that input is, which cannot tell, it is taken for seen."""
    from mindspore import Tensor

    batch = material.batches[-1]
    old = list(tensors_in(batch))[position]
    changed = to_numpy(old).copy()
    changed[at] = np.roll(changed[at], 1, axis=0)
    state = random_state(False)

    def loss(array: Optional[np.ndarray] = None) -> Optional[float]:
        given = batch if array is None else tuple(Tensor(array, old.dtype) if one is old else one for one in batch)
        return batch_loss(material, given, state)

    plain, again, moved = loss(), loss(), loss(changed)
    if None in (plain, again, moved) or plain != again:
        return False
    return moved != plain or loss(np.roll(to_numpy(old), 1, axis=0)) == plain


def batch_loss(material, batch: tuple, state: dict, change: Optional[Callable] = None) -> Optional[float]:
    """The loss: what the step's function gives, or of a training cell the last number that it computes.

    Args:
        state: The random state to begin with.
        change: ``change(parameters)`` gives the weights to take, ``{id(parameter): array}``; as they are where it is None.
    """
    step = material.build(batch)
    with undisturbed(step.parameters, state, change(step.parameters) if change is not None else None, False):
        trace, result = run_forward(step)
    values = (first_scalar(one) for one in (result, *(node.results for node in reversed(trace.nodes))))
    return next((float(to_numpy(one).reshape(-1)[0]) for one in values if one is not None), None)
