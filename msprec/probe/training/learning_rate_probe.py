"""A learning-rate range test from the weights that the run began with, on the batches that it began with."""

import itertools
import math
from typing import Callable, Optional

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import to_numpy
from msprec.probe.steps.captured_steps import Material
from msprec.range_test.lr_curve import APART
from msprec.range_test.lr_finder import LearningRateFinder
from msprec.record.nested import tensors_in
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.cells import all_parameters

LOW, HIGH, FEWEST, MOST = 1e-7, 10.0, 30, 100
#: Powers of ten of the run's rate at which the first steps are tried: where its own rate brings the loss down by less than
#: `STILL`, where it raises it by `GROWS`, and else; steps of a trial at least.
UP, DOWN, BOTH, TRIAL = (1, 2, 3, -1, -2, -3), (-1, -2, -3, 1, 2, 3), (-1, 1, -2, 2, -3, 3), 10
STILL, GROWS = 0.1, 0.2
#: The trials take so many seconds, or so many times what the range test took; so many should fit in, of so many steps.
TRIAL_SECONDS, TRIAL_SHARE = 3.0, 2.0
TRIALS, ENOUGH = 3, 32
#: Inputs of a larger root mean square are tried standardised as well: what rate suits depends on it.
RAW = 10.0
#: Where a range test falls too little to have bounds, this share of the rate at which it diverges is tried.
BELOW_DIVERGENCE = 0.01
#: A run leaves no doubt whose loss came down to this share of its start, and of its second tenth, at a rate inside the bounds;
#: nor one whose loss is gone. One whose range test came to this share of its end, at a lower rate than its own, does.
CAME_DOWN, FELL_ON, CONVERGED, LOWER = 0.3, 0.7, 0.03, 0.5
#: The gradients of the probe and those that the optimizer was given may differ by this factor; more is scaling or clipping.
SAME_GRADIENT = 1.5


class Cannot(Exception):
    """Why the probe is not made, in a word that the checks know."""


def range_test(material: Material, seconds: float, reached: Optional[tuple] = None) -> dict:
    """Facts for ``range_test.json``, with ``"by": "probe"``.

    Args:
        material: What the run left.
        seconds: The whole test takes no longer, give or take a step.
        reached: Number of the run's losses, and the means of their first ones, second tenth and last tenth; None where it has
            none.

    Raises:
        Cannot: ``"optimizers"``: there is not exactly one; ``"weights"``: those of the beginning were not kept;
            ``"gradients"``: the optimizer was given others than those of the loss; ``"slow"``: too few steps fit in.
    """
    if len(material.optimizers) != 1:
        raise Cannot("optimizers")
    if material.initial is None:
        raise Cannot("weights")
    optimizer = material.optimizers[0]
    roots = [*material.roots, optimizer, *([material.cell] if material.cell is not None else [])]
    until = busy_seconds() + seconds
    with undisturbed(all_parameters(roots), None, material.initial):
        if material.style == "functional":
            see_gradients(material)
        step = training_step(material, optimizer)
        count = _affordable(step, optimizer, roots, material, seconds)
        finder = LearningRateFinder(step, optimizer, roots, LOW, HIGH, count)
        began = busy_seconds()
        curve = finder.run(material.batches, until - began)
        took = busy_seconds() - began
        each, trials, standardised = took / max(1, len(curve.rates)), [], []
        if finder.used and _leaves_doubt(curve, finder.used, reached):
            left = min(until - busy_seconds(), max(TRIAL_SECONDS, TRIAL_SHARE * took))
            trials = _trials(finder, curve, material.batches, reached, (left, each))
        batches = _standardised(material.batches) if finder.used else None
        if batches is not None:
            left = min(until - busy_seconds(), TRIAL_SECONDS)
            standardised = _trials(finder, curve, batches, reached, (left, each))
    return {
        **curve.facts(),
        "trials": trials,
        "standardised": standardised,
        "used": finder.used,
        "optimizer": type(optimizer).__name__,
        "overflows": 0,
        "asked": count,
        "by": "probe",
        "batches": len(material.batches),
    }


def _standardised(batches: list) -> Optional[list]:
    """The batches with each feature of their first array at mean 0 and deviation 1; None where none is beyond `RAW`, or they are
    no real numbers."""
    from mindspore import Tensor

    arrays = [to_numpy(batch[0]) if batch and hasattr(batch[0], "asnumpy") else None for batch in batches]
    if any(
        one is None or one.ndim < 2 or one.dtype != np.float32 or one.shape[1:] != arrays[0].shape[1:] for one in arrays
    ):
        return None
    whole = np.concatenate(arrays).astype(np.float64)
    axes = (0,) if whole.ndim == 2 else (0, *range(2, whole.ndim))
    if not np.isfinite(whole).all() or np.sqrt((whole**2).mean(axes)).max() < RAW:
        return None
    mean, deviation = whole.mean(axes, keepdims=True), whole.std(axes, keepdims=True)
    made = [((one - mean) / np.where(deviation > 0, deviation, 1)).astype(np.float32) for one in arrays]
    return [(Tensor(one), *batch[1:]) for one, batch in zip(made, batches)]


def _leaves_doubt(curve, used: float, reached: Optional[tuple]) -> bool:
    """Whether a run whose course ``reached`` tells may have had another rate than it needs (`CAME_DOWN`, `CONVERGED`)."""
    if reached is None:
        return False
    _, _, early, end = reached
    first = curve.reached()[0]
    inside = curve.judge(used).verdict == "inside" and 0 < end <= CAME_DOWN * first and end <= FELL_ON * early
    if inside:
        lowest = int(np.nanargmin(curve.smoothed))
        inside = curve.rates[lowest] >= used or curve.smoothed[lowest] > LOWER * end
    return not (math.isfinite(end) and (inside or 0 < end <= CONVERGED * first))


def _trials(finder: LearningRateFinder, curve, batches: list, reached: Optional[tuple], seconds: tuple) -> list:
    """``[{"rate", "losses"}]``: the same first weights trained on the same batches at the run's rate and at others.

    The others, while time is left: where the range test falls most steeply (or far below its divergence), and powers of ten of
    the run's, higher ones first where the run's own does next to nothing, lower ones first where it makes the loss grow.

    As many steps as there are batches, as a batch that comes twice is learnt by heart, and a third of the run's at the most where
    its loss is finite.
    """
    if reached is None:
        return []
    steps, *_, end = reached
    count = min(len(batches), steps // 3) if math.isfinite(end) else len(batches)
    if math.isfinite(end) and count < TRIAL:
        return []
    left, each = seconds
    count = max(TRIAL, min(count, max(ENOUGH, int(left / (TRIALS * max(each, 1e-6))))))
    batches = list(itertools.islice(itertools.cycle(batches), count))
    found, until = [], busy_seconds() + left
    rates = [finder.used]
    while rates:
        rate = rates.pop(0)
        if LOW <= rate <= HIGH or rate == finder.used:
            losses = finder.train(rate, batches, until)
            if busy_seconds() > until:
                break
            found.append({"rate": rate, "losses": losses})
            if len(found) == 1:
                rates = [*_likely(curve, finder.used), *(finder.used * 10.0**power for power in _powers(losses))]
    return found


def _likely(curve, used: float) -> list[float]:
    """The rate that the range test speaks for, if it does, and another than the run's."""
    rate = curve.steepest if curve.steepest is not None else BELOW_DIVERGENCE * (curve.diverged or 0.0)
    return [rate] if rate and max(rate / used, used / rate) >= APART else []


def _powers(losses: list) -> tuple[int, ...]:
    """The powers of ten in the order in which they are likely to tell something, from the losses at the run's own rate."""
    third = max(3, len(losses) // 3)
    first, last = float(np.mean(losses[:third])), float(np.mean(losses[-third:]))
    if not math.isfinite(last) or last - losses[0] > GROWS * abs(losses[0]):
        return DOWN
    return UP if first - last < STILL * abs(first) else BOTH


def _affordable(step: Callable, optimizer, roots: list, material: Material, seconds: float) -> int:
    began = busy_seconds()
    LearningRateFinder(step, optimizer, roots, 1e-9, 1e-8, 2).run(material.batches)
    seconds, began = seconds - (busy_seconds() - began), busy_seconds()  # the first steps prepare kernels
    LearningRateFinder(step, optimizer, roots, 1e-9, 1e-8, 2).run(material.batches)
    each = (busy_seconds() - began) / 2
    count = int(min(MOST, 0.8 * seconds / max(each, 1e-6)))
    if count < FEWEST:
        raise Cannot("slow")
    return count


def training_step(material: Material, optimizer) -> Callable:
    """A function that trains on one batch and returns the loss."""
    if material.style == "cell":
        return material.cell
    if material.style == "jit":
        return material.function

    def step(*batch):
        gradients, loss = _gradients(material, batch)
        optimizer(tuple(gradients))
        return loss

    return step


def _gradients(material: Material, batch: tuple) -> tuple:
    """``(gradients, loss)`` of a functional step, both without the loss scale."""
    step = material.build(batch, list(material.optimizers[0].parameters))
    gradients = step.run(None, step.scale)
    if step.scale != 1:
        gradients = [gradient / step.scale for gradient in gradients]
    return gradients, step.loss


def see_gradients(material: Material) -> None:
    """Raises `Cannot` where the loop does more with the gradients of the loss than hand them to its optimizer."""
    if material.given is None:
        raise Cannot("gradients")
    again, given = _norm(_gradients(material, material.batches[0])[0]), _norm(material.given)
    if not (given > 0 and again > 0 and 1 / SAME_GRADIENT < again / given < SAME_GRADIENT):
        raise Cannot("gradients")


def _norm(gradients) -> float:
    """The norm of all gradients together."""
    arrays = [to_numpy(g).astype(np.float64) for g in tensors_in(gradients)]
    return math.sqrt(sum(float((a * a).sum()) for a in arrays))
