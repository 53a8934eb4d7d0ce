"""Which call is a training step: the calls of cells, compiled functions and gradient functions, and whom each belongs to."""

import threading
import weakref

from msprec.observe.train_steps.gradient_functions import differentiated_in, holds_gradient
from msprec.observe.train_steps.method_names import is_first_half
from msprec.runtime.cells import is_builtin, is_loss_class, is_optimizer_class, optimizers_in
from msprec.runtime.scalars import first_scalar, is_parameter


class StepHooks:
    """Hears of the outermost calls of the script's main thread.

    Args:
        steps: The run's `StepObserver`.
    """

    def __init__(self, steps) -> None:
        self._steps, self._observer = steps, steps.observer
        self._kinds, self._thread = weakref.WeakKeyDictionary(), threading.get_ident()

    def install(self, patches) -> None:
        patches.hook("cell_call", self._watch_cell)
        patches.hook("jit_call", self._watch_jit)
        found = patches.hook("gradient_run", lambda original: self._watch_gradient(original, True))
        if found is not None and found.at:
            # up to 2.9 a method of two classes, of which one gives the value beside the gradients
            patches.hook("gradient_operation_run", lambda original: self._watch_gradient(original, False))

    def _is_outermost(self) -> bool:
        return not (self._steps.depth or self._observer.busy or threading.get_ident() != self._thread)

    def _watch_cell(self, original):
        def __call__(cell, *args, **kwargs):
            if self._steps.depth or not self._is_outermost():
                return original(cell, *args, **kwargs)
            kind = self._observer.guarded_call(self._kind_of, cell) or "network"
            self._steps.depth += 1
            try:
                return self._call_cell(kind, cell, args, kwargs, lambda: original(cell, *args, **kwargs))
            finally:
                self._steps.depth -= 1

        return __call__

    def _watch_jit(self, original):
        def __call__(executor, *args, **kwargs):
            if self._steps.depth or not self._is_outermost():
                return original(executor, *args, **kwargs)
            self._steps.depth += 1
            try:
                return self._steps.jit.call(executor, args, lambda: original(executor, *args, **kwargs))
            finally:
                self._steps.depth -= 1

        return __call__

    def _watch_gradient(self, original, with_value: bool):
        """``with_value``: of a method, whether its result is ``(inputs, value)``, as that of the function always is."""
        method = "." in original.__qualname__
        # (function, sens_param, *args) of the function, (self, function, sens_param, grad, *args)... of the method
        at, first = (1, 4) if method else (0, 2)

        def forward_run(*args, **kwargs):
            if self._steps.gradient_depth or not self._is_outermost():
                return original(*args, **kwargs)
            functional = self._steps.functional
            self._observer.guarded_call(functional.begin_gradient, args[at], None, args[first:])
            with self._steps.in_gradient():
                result = original(*args, **kwargs)
            self._observer.guarded_call(functional.forward_done, result[1] if with_value else None)
            return result

        return forward_run

    def _call_cell(self, kind: str, cell, args: tuple, kwargs: dict, run):
        steps, guarded_call = self._steps, self._observer.guarded_call
        if kind == "update" and _are_batches(args):
            kind = "train"
        if steps.gradient_depth == 0:
            if kind == "train":
                return steps.cells.call(cell, args, run)
            if kind == "gradient":
                return steps.functional.call_gradient_cell(cell, args, run)
            if kind == "optimizer":
                return steps.functional.call_optimizer(cell, args, run)
            if kind == "update":
                optimizer = optimizers_in(cell)[0]
                return steps.functional.call_optimizer(optimizer, guarded_call(_summed_in, cell, optimizer) or (), run)
        if not cell._cells and not args and not kwargs:
            return run()  # such as what clears gradients that are added up
        if kind == "loss":
            guarded_call(steps.loss_facts.note_cell, cell)
        else:
            guarded_call(steps.note_forward, cell, args, kwargs)
        output = run()
        if steps.gradient_depth == 0 and self._observer.models.is_users_call(cell):
            if not self._observer.models.stack:
                scalar = guarded_call(first_scalar, output) if not isinstance(output, dict) else None
                steps.functional.last_scalar = scalar
            guarded_call(self._observer.evaluating.called, kind, output, args)
        return output

    def _kind_of(self, cell) -> str:
        """``optimizer``, ``train``, ``loss``, ``gradient`` (a cell that computes gradients and updates nothing), ``update`` (one
        that updates with gradients that others have computed) or ``network``."""
        kind = self._kinds.get(cell)
        if kind is None:
            kind = self._kinds[cell] = _classify(cell)
        return kind


def _classify(cell) -> str:
    if is_optimizer_class(type(cell)):
        return "optimizer"
    if is_loss_class(type(cell)):
        return "loss"
    if optimizers_in(cell):
        return "update" if _only_updates(cell) else "gradient" if is_first_half(cell, "construct") else "train"
    return "gradient" if differentiated_in(cell) is not None else "network"


def _summed_in(cell, optimizer) -> tuple:
    """``(gradients,)``: the parameters that an updating cell holds, one for each weight of its optimizer, where gradients were
    added up; empty where there are none, or several of them."""
    shapes, own = [tuple(one.shape) for one in optimizer.parameters], {id(one) for one in optimizer.parameters}
    held = [value for value in vars(cell).values() if isinstance(value, (tuple, list)) and len(value) == len(shapes)]
    sums = [
        value
        for value in held
        if all(is_parameter(one) and id(one) not in own for one in value)
        and [tuple(one.shape) for one in value] == shapes
    ]
    return (tuple(sums[0]),) if len(sums) == 1 else ()


def _are_batches(args: tuple) -> bool:
    """Whether a cell is called with more than the gradients of its update."""
    return bool(args) and not (len(args) == 1 and isinstance(args[0], (tuple, list)))


def _only_updates(cell) -> bool:
    """Whether a cell of the user's holds nothing that it could compute gradients of or with, beside its optimizers."""
    held = [inner for inner in cell._cells.values() if inner is not None]
    return (
        not is_builtin(type(cell)) and all(is_optimizer_class(type(one)) for one in held) and not holds_gradient(cell)
    )
