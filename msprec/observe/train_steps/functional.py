"""Steps of functional loops: a gradient computation (or several, whose gradients are added up), then a call of an optimizer."""

import time
from typing import Optional

import numpy as np

from msprec.locate.replay import of_forward
from msprec.observe.train_steps.given_rate import given_rate
from msprec.observe.train_steps.gradient_functions import differentiated_in, forward_of, innermost, unscales_value
from msprec.observe.train_steps.kept_few import KeptFew
from msprec.observe.train_steps.open_step import OpenStep, Opposite, Unscaled
from msprec.record.step_recorder import to_number
from msprec.runtime.cells import is_builtin, unwrap
from msprec.runtime.closure_scan import Reached
from msprec.runtime.scalars import loss_of
from msprec.runtime.source_locations import user_place


class FunctionalSteps:
    """A step is open from its first gradient computation until the next step begins, or data arrive after its update.

    Args:
        steps: The run's `StepObserver`.
    """

    def __init__(self, steps) -> None:
        self._steps, self._observer = steps, steps.observer
        self.open: Optional[OpenStep] = None
        #: The most gradient computations that an update had
        self.accumulation = 1
        # the scalar that a plain forward call gave last: the loss of a step whose gradient function gives no value
        self.last_scalar = None
        self._forwards = KeptFew(forward_of)

    @property
    def awaits_update(self) -> bool:
        """Whether gradients were computed that no optimizer has been called with."""
        return self.open is not None and self.open.function is not None and not self.open.applied

    # calls

    def call_gradient_cell(self, cell, args: tuple, run):
        """A cell that gives gradients and updates nothing is called; ``run()`` calls it."""
        guarded_call = self._observer.guarded_call
        guarded_call(self.begin_gradient, differentiated_in(cell), None, args)
        with self._steps.in_gradient():
            output = run()
        # of a cell of the user's, the first scalar of several may be a gradient
        several = isinstance(output, (tuple, list, dict)) and not is_builtin(type(cell))
        guarded_call(self.forward_done, None if several else output)
        return output

    def call_optimizer(self, optimizer, args: tuple, run):
        """An optimizer is called; ``run()`` calls it."""
        self._observer.guarded_call(self._begin_update, optimizer, args)
        output = run()
        self._observer.guarded_call(self._end_update)
        return output

    def begin_gradient(self, function, owner, args: tuple) -> None:
        """The gradients of ``function``, of ``owner`` where it is a method, are computed with ``args``."""
        steps = self._steps
        self._note_update_by_hand()
        if self.open is not None and not self.open.applied and not steps.scaling.skipped(self.open):
            # another function is another loss (a GAN's), not a further part of the batch
            self.open.forwards += innermost(function) is self.open.function
            self._observer.datasets.feeds_step()
            self._keep(self.open, function, args, steps.what_reaches(function, owner, differentiated=True))
            return
        self.close()
        reached = steps.what_reaches(function, owner, differentiated=True)
        self._observer.datasets.feeds_step()
        entry = self._note(function, reached, args)
        self.open = steps.begun(entry)
        self.open.function = innermost(function)
        steps.scaling.begin(self.open, reached.scalers)
        self.open.loss_is_scaled = bool(reached.scalers) and any(
            "scale" in getattr(getattr(f, "__code__", None), "co_names", ()) for f in reached.functions
        )
        self.open.loss_was_unscaled = unscales_value(function)
        if not self._observer.optimizers.made:
            self.open.weight = _smallest_weight(reached.networks)
            self.open.rate = given_rate(self.open.function, args)
        self._keep(self.open, function, args, reached)

    def _note_update_by_hand(self) -> None:
        """In a run without optimizers, a step whose weights have changed since it began, or are in no network, has been made."""
        if self.open is None or self.open.applied or self._observer.optimizers.made:
            return
        weight, before = self.open.weight or (None, None)
        if weight is None or not np.array_equal(weight.asnumpy(), before, equal_nan=True):
            self.open.applied = True
            self.open.ends_now()

    def _note(self, function, reached: Reached, args: tuple) -> dict:
        """Notes what trains; returns the style's entry."""
        steps, inner = self._steps, innermost(function)
        steps.note_trained([unwrap(n) for n in reached.networks], reached.optimizers, [], reached.parameters)
        steps.loss_facts.note_reached(reached)
        entry = steps.style_facts.note("functional", function=inner)
        steps.note_inputs(args, inner)
        for network in reached.networks:
            if steps.depth:
                self._observer.modes.note("train", "gradient", unwrap(network), user_place(), steps.done, True)
            given = tuple(value for value in args if not hasattr(value, "_cells"))
            steps.note_step_inputs("gradient", network, inner, given)
        return entry

    def forward_done(self, result) -> None:
        """The gradient computation is over; ``result``: what the differentiated function gave, None where it is not seen."""
        loss = loss_of(result) if self.open is not None else None
        if loss is not None:
            self.open.loss = loss

    def note_finite(self, finite) -> None:
        """``mindspore.amp.all_finite`` was called outside a compiled step: the flag of the open step."""
        if self.open is not None and not self.open.applied:
            self.open.overflow = Opposite(finite)

    def _begin_update(self, optimizer, args: tuple) -> None:
        steps, gradients = self._steps, args[0] if args else None
        # two optimizers that share the parameters of one network make their updates in one step
        if self.open is None or (self.open.applied and id(optimizer) in self.open.updated_by):
            self.close()
            self._observer.datasets.feeds_step()
            self.open = steps.begun(steps.style_facts.note("functional"))
        first = not self.open.updated_by
        self.open.updated_by.add(id(optimizer))
        steps.note_trained([], [optimizer], [])
        self._observer.guarded_call(steps.material.updates, optimizer, gradients)
        rate = steps.rate([optimizer])
        if first:
            self.open.rate = rate
            steps.sample(self.open, [optimizer], given=gradients)

    def _end_update(self) -> None:
        if self.open is not None:
            self.open.applied = True
            self.open.ends_now()
            self.accumulation = max(self.accumulation, self.open.forwards)

    # the end of a step

    def data_arrived(self) -> None:
        """The next batch is there: a step whose update was applied is over, and so is its scaler's adjustment."""
        if self.open is not None and (self.open.applied or self._steps.scaling.skipped(self.open)):
            self.close()

    def close(self) -> None:
        """Writes the row of a step that is still open."""
        step, self.open = self.open, None
        if step is None:
            return
        step.loss, self.last_scalar = (self.last_scalar if step.loss is None else step.loss), None
        if step.loss_is_scaled and not step.loss_was_unscaled and step.loss is not None:
            step.loss = Unscaled(step.loss, step.scale)
        self._steps.scaling.end(step)
        step.seconds = step.seconds or time.perf_counter() - step.began
        self._steps.finish(step)

    def _keep(self, step: OpenStep, function, args: tuple, reached: Reached) -> None:
        steps = self._steps
        roots = [*reached.networks, *reached.optimizers] or steps.roots
        weights = [p for o in reached.optimizers for p in o.parameters]
        scaler, scale = (steps.scaling.in_use(reached.scalers) if step.loss_is_scaled else None), step.scale

        def build(args, wanted=None):
            given = wanted or weights or [p for root in roots for p in root.trainable_params()] or alone
            return of_forward(forward, args, given, roots, scaler, to_number(scale))

        alone = [one for one in reached.parameters if one.requires_grad]
        forward = self._forwards.of(function)
        steps.offer("functional", args, build, roots, reached.optimizers, function, forward=forward, alone=alone)
        steps.replays.begin(step.number, args, build, roots, scaler is not None)


def _smallest_weight(networks) -> Optional[tuple]:
    """``(weight, its values)`` of the smallest trainable weight; None where there is none."""
    weights = [one for network in networks for one in unwrap(network).trainable_params()]
    weight = min(weights, key=lambda one: one.size, default=None)
    return None if weight is None else (weight, weight.asnumpy().copy())
