"""A learning-rate range test from the weights that the run began with, on the batches that it began with."""

import math
import time
from typing import Callable

import numpy as np

from msprec.locate.replay import undisturbed
from msprec.locate.trace import to_numpy
from msprec.probe.captured_steps import Material
from msprec.range_test.lr_finder import LearningRateFinder
from msprec.record.nested import tensors_in
from msprec.runtime.cells import all_parameters

LOW, HIGH, FEWEST, MOST = 1e-7, 10.0, 30, 100
#: The gradients of the probe and those that the optimizer was given may differ by this factor; more is scaling or clipping.
SAME_GRADIENT = 1.5


class Cannot(Exception):
    """Why the probe is not made, in a word that the checks know."""


def range_test(material: Material, seconds: float) -> dict:
    """Facts for ``range_test.json``, with ``"by": "probe"``.

    Args:
        material: What the run left.
        seconds: The whole test takes no longer, give or take a step.

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
    with undisturbed(all_parameters(roots), None, material.initial):
        if material.style == "functional":
            _see_gradients(material)
        step = _step(material, optimizer)
        count = _affordable(step, optimizer, roots, material, seconds)
        finder = LearningRateFinder(step, optimizer, roots, LOW, HIGH, count)
        curve = finder.run(material.batches, seconds)
    return {
        **curve.facts(),
        "used": finder.used,
        "optimizer": type(optimizer).__name__,
        "overflows": 0,
        "asked": count,
        "by": "probe",
        "batches": len(material.batches),
    }


def _affordable(step: Callable, optimizer, roots: list, material: Material, seconds: float) -> int:
    began = time.monotonic()
    LearningRateFinder(step, optimizer, roots, 1e-9, 1e-8, 2).run(material.batches)
    seconds, began = seconds - (time.monotonic() - began), time.monotonic()  # the first steps prepare kernels
    LearningRateFinder(step, optimizer, roots, 1e-9, 1e-8, 2).run(material.batches)
    each = (time.monotonic() - began) / 2
    count = int(min(MOST, 0.8 * seconds / max(each, 1e-6)))
    if count < FEWEST:
        raise Cannot("slow")
    return count


def _step(material: Material, optimizer) -> Callable:
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


def _see_gradients(material: Material) -> None:
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
