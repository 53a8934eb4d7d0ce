"""Steps of functions compiled by ``jit``: one that reaches an optimizer is a step, one that computes gradients its first half."""

from typing import Optional

from msprec.locate.replay import of_function
from msprec.observe.train_steps.gradient_functions import (
    differentiated_in,
    held_gradients,
    is_all_finite,
    is_gradient_function,
    returns_value,
)
from msprec.observe.train_steps.kept_few import KeptFew
from msprec.observe.train_steps.method_names import is_first_half
from msprec.observe.train_steps.open_step import NotUpdated, OpenStep
from msprec.record.overflow_rules import UPDATE
from msprec.runtime.cells import optimizers_in, unwrap
from msprec.runtime.closure_scan import Reached
from msprec.runtime.scalars import first_flag, first_scalar
from msprec.runtime.source_locations import user_place
from msprec.runtime.tensor_snapshot import snapshot


class JitSteps:
    """Calls of compiled functions.

    Args:
        steps: The run's `StepObserver`.
    """

    def __init__(self, steps) -> None:
        self._steps, self._observer = steps, steps.observer
        self._sums = KeptFew(self._sums_in)
        #: ``{(class, method): whether it leaves the update to another}``
        self._halves: dict = {}

    def call(self, executor, args: tuple, run):
        """A compiled function is called; ``run()`` calls it."""
        guarded_call, functional = self._observer.guarded_call, self._steps.functional
        if is_all_finite(executor.fn):
            output = run()
            guarded_call(functional.note_finite, output)
            return output
        reached = guarded_call(self._steps.what_reaches, executor.fn, executor.obj)
        if reached is None:
            return run()
        computed: tuple = (executor.fn, executor.obj, args)
        is_gradient = is_gradient_function(executor.fn)
        if reached.optimizers and guarded_call(self._is_first_half, executor):
            is_gradient, computed = True, (differentiated_in(executor.obj), None, _without_cells(args))
        if reached.optimizers and not is_gradient and not reached.has_gradient and functional.awaits_update:
            given = _gradients_of(args) or guarded_call(self._sums.of, executor.fn) or ()
            return functional.call_optimizer(reached.optimizers[0], given, run)
        if reached.optimizers and not is_gradient:
            step = guarded_call(self._begin, executor, reached, args)
            output = run()
            guarded_call(self._end, step, reached, output)
            return output
        if reached.has_gradient or is_gradient:
            guarded_call(functional.begin_gradient, *computed)
            output = run()
            guarded_call(functional.forward_done, output if returns_value(executor.fn) else None)
            return output
        return self._call_forward(reached, args, run)

    def _is_first_half(self, executor) -> bool:
        """Whether a compiled method of a cell computes gradients, and another method calls the optimizer."""
        owner, name = executor.obj, executor.fn.__name__
        key = (type(owner), name)
        if key not in self._halves:
            self._halves[key] = hasattr(owner, "_cells") and is_first_half(owner, name)
        return self._halves[key]

    def _sums_in(self, function) -> tuple:
        optimizers = self._steps.what_reaches(function).optimizers
        return held_gradients(function, optimizers[0]) if optimizers else ()

    def _call_forward(self, reached: Reached, args: tuple, run):
        guarded_call, steps = self._observer.guarded_call, self._steps
        for network in reached.networks:
            guarded_call(steps.note_forward, network, _without_cells(args))
        output = run()
        if reached.networks and steps.gradient_depth == 0 and not self._observer.models.stack:
            guarded_call(self._observer.evaluating.called, "network", output, args)
        return output

    def _begin(self, executor, reached: Reached, args: tuple) -> OpenStep:
        steps = self._steps
        steps.close_open()
        self._observer.datasets.feeds_step()
        steps.note_trained([unwrap(n) for n in reached.networks], reached.optimizers, [], reached.parameters)
        steps.loss_facts.note_reached(reached)
        entry = steps.style_facts.note("jit", function=executor.fn)
        steps.note_inputs(args, executor.fn)
        for network in reached.networks:
            if not optimizers_in(network) or unwrap(network) is not network:
                self._observer.modes.note("train", "jit", unwrap(network), user_place(), steps.done, True)
                steps.note_step_inputs("jit", network, executor.fn, _without_cells(args))
        step = steps.begun(entry)
        step.rate = steps.rate(reached.optimizers)
        steps.scaling.begin(step, reached.scalers)
        # reading the count waits for the device: only a scaler makes an update uncertain
        step.updates = _updates(reached.optimizers) if reached.scalers else None
        steps.sample(step, reached.optimizers, self._keep(step, executor, args, reached), reached.networks)
        return step

    def _end(self, step: Optional[OpenStep], reached: Reached, output) -> None:
        if step is None:
            return
        step.loss = first_scalar(output)
        self._steps.scaling.end(step)
        if step.overflow is None and step.scaler is not None and first_flag(output) is not None:
            # what a bool that a function returns means nobody knows ("overflow", "all finite"): the update tells
            updates = _updates(reached.optimizers)
            if None not in (step.updates, updates):
                step.overflow, step.entry["overflow_from"] = NotUpdated(step.updates, updates), UPDATE
        step.ends_now()
        self._steps.finish(step)

    def _keep(self, step: OpenStep, executor, args: tuple, reached: Reached):
        if executor.obj is not None and not (args and args[0] is executor.obj):
            args = (executor.obj, *args)
        roots, scaler = [*reached.networks, *reached.optimizers], self._steps.scaling.in_use(reached.scalers)

        def build(args):
            return of_function(executor.fn, args, roots, scaler)

        self._steps.offer("jit", args, lambda given, _=None: build(given), roots, reached.optimizers, executor.fn)
        self._steps.replays.begin(step.number, args, build, roots, scaler is not None)
        return lambda: build(args)


def _gradients_of(args: tuple) -> tuple:
    """The gradients that a compiled update is called with, where they are its only argument that is a tuple or list."""
    found = [one for one in args if isinstance(one, (tuple, list))]
    return (found[0],) if len(found) == 1 else ()


def _updates(optimizers):
    """The first optimizer's own count of updates, safe to read later; None where there is none."""
    return snapshot(getattr(optimizers[0], "global_step", None)) if optimizers else None


def _without_cells(args: tuple) -> tuple:
    """The arguments of a method without the cell that it belongs to."""
    return tuple(value for value in args if not hasattr(value, "_cells"))
