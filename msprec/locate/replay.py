"""Runs a kept step again in PyNative mode, and leaves the process as it was."""

import contextlib
from contextlib import contextmanager
from typing import Any, Callable, Optional, Protocol

import numpy as np

from msprec.record.nested import flatten
from msprec.runtime import hook_points
from msprec.runtime.active_observer import unobserved
from msprec.runtime.cells import all_parameters, is_builtin, unwrap, walk
from msprec.runtime.quiet import quiet
from msprec.runtime.rng_state import random_state, set_random_state
from msprec.runtime.scalars import first_scalar
from msprec.runtime.side_effects import draws_on_host


@contextmanager
def undisturbed(parameters: list, state: Optional[dict], weights: Optional[dict], host_random: bool = True):
    """PyNative mode, the random state ``state`` and the values ``weights`` (``{id(parameter): array}``) inside, and nothing
    printed or logged; all as it was before afterwards.

    ``host_random``: whether what runs inside may draw from Python's and NumPy's generators. Where it does not, they are
    left alone: a data set's threads draw from them meanwhile, and setting them back would undo that.
    """
    import mindspore as ms

    mode, outer = ms.get_context("mode"), random_state(host_random)
    before = {id(parameter): parameter.asnumpy().copy() for parameter in parameters}
    with unobserved(), quiet():
        ms.set_context(mode=ms.PYNATIVE_MODE)
        try:
            if weights:
                _set_values(parameters, weights)
            if state is not None:
                set_random_state(state if host_random else {**state, "python": None, "numpy": None})
            yield
        except BaseException:
            _leave_gradient()
            raise
        finally:
            _set_values(parameters, before)
            ms.set_context(mode=mode)
            set_random_state(outer)


def _leave_gradient() -> None:
    """Ends the gradient that an error left open: MindSpore goes on recording, and takes the script's next step for its part."""
    executor = hook_points.value("pynative_executor")
    if executor is not None:
        executor.set_grad_flag(False)
        executor.clear_res()


def _set_values(parameters: list, values: dict) -> None:
    """Writes only what differs: a Parameter that is not touched keeps its memory."""
    from mindspore import Tensor, ops

    for parameter in parameters:
        value = values.get(id(parameter))
        if value is not None and parameter.asnumpy().tobytes() != value.tobytes():
            # in PyNative mode an optimizer's updates are lost after Parameter.set_data (seen with 2.10); assign keeps them
            ops.assign(parameter, Tensor(value, parameter.dtype))


class Watcher(Protocol):
    """What `watched` hands calls to: a `Trace`, a `GradientCatcher`, or `Plain`, which looks at nothing."""

    cells: Any

    def cell_call(self, original, cell, args, kwargs): ...

    def call_function(self, function, args): ...

    def own(self, function): ...

    def restore_classes(self) -> None: ...


@contextmanager
def watched(trace: Watcher):
    """Cells are watched inside, and functions compiled by ``jit`` run as Python."""
    cell_call, set_attribute = hook_points.value("cell_call"), hook_points.value("cell_setattr")
    if cell_call is None or set_attribute is None:
        raise RuntimeError("this MindSpore lacks what a replay needs; see hooks_missing in run.json")
    hook_points.find("recompute_cell")
    recomputing = [(cell, cell._recompute_cell) for cell in trace.cells if getattr(cell, "_recompute_cell", None)]
    with contextlib.ExitStack() as undo:
        undo.callback(trace.restore_classes)
        # recomputing would run the watched code again inside the backward pass
        for cell, recompute in recomputing:
            undo.callback(object.__setattr__, cell, "_recompute_cell", recompute)
            object.__setattr__(cell, "_recompute_cell", None)
        for name, made in (
            ("cell_call", _traced_call(trace, cell_call)),
            ("jit_call", _as_python(trace)),
            ("cell_setattr", _assigning(set_attribute)),
        ):
            found = hook_points.find(name)
            if found is not None:
                undo.callback(setattr, found.owner, found.attribute, found.value)
                setattr(found.owner, found.attribute, made)
        yield trace


def _traced_call(trace: Watcher, cell_call: Callable) -> Callable:
    def call_cell(cell, *args, **kwargs):
        return trace.cell_call(cell_call, cell, args, kwargs)

    return call_cell


def _as_python(trace: Watcher) -> Callable:
    def call_jit(executor, *args, **kwargs):
        function = executor.fn
        if executor.obj is not None and not (args and args[0] is executor.obj):
            args = (executor.obj, *args)
        return (trace.own(function) or function)(*args, **kwargs)

    return call_jit


def _assigning(set_attribute: Callable) -> Callable:
    from mindspore import Parameter, Tensor, ops

    def assign_attribute(cell, name, value):
        held = cell.__dict__.get("_params", {}).get(name)
        if held is not None and isinstance(value, Tensor) and not isinstance(value, Parameter):
            # compiled, this assigns to the Parameter; in Python it would give it other memory, and what is compiled
            # later would not see it (Adam's beta1_power)
            ops.assign(held, value.astype(held.dtype))
        else:
            set_attribute(cell, name, value)

    return assign_attribute


class ReplayedStep:
    """What a step ran, as something that can be run again.

    Args:
        run: Called as ``run(trace, scale)``; returns the loss of the step, unscaled; without a trace, its gradients.
        roots: The cells whose parameters it may change.
        scale: The loss scale the step was computed with.
        inputs: What it is called with.
        function: The function or cell that it runs.
    """

    def __init__(self, run, roots: list, scale: float = 1.0, inputs: tuple = (), function=None) -> None:
        self.run, self.roots, self.scale, self.inputs, self._function = run, roots, scale, inputs, function
        #: The function or network that is differentiated, where it is known before the step runs
        self.forward = None
        #: The unscaled loss of the last run of a forward computation
        self.loss = None
        self.parameters = all_parameters(roots)
        # the network's own paths come last and count: not those through the cells that wrap it
        self.cells = [cell for root in roots for _, cell in walk(root)]
        self.paths = {id(cell): path for root in roots for tree in (root, unwrap(root)) for path, cell in walk(tree)}

    @property
    def host_random(self) -> bool:
        """Whether its code may draw from Python's or NumPy's generators."""
        return draws_on_host(self.roots, (self._function,) if self._function is not None else ())


def of_train_cell(cell, inputs: tuple, scale: Optional[float] = None) -> ReplayedStep:
    """The step of a training cell: the user's own ``construct``, or, of MindSpore's cells, the network inside with its
    gradients. ``scale``: the loss scale the step was computed with."""
    home = next(base for base in type(cell).__mro__ if "construct" in vars(base))
    if not is_builtin(home):
        return of_function(cell, inputs, [cell])
    weights = getattr(cell, "weights", None) or cell.network.trainable_params()
    return of_forward(cell.network, inputs, list(weights), [cell.network], scale=scale)


def of_forward(forward, inputs: tuple, weights: list, roots: list, scaler=None, scale: Optional[float] = None):
    """The step of a forward computation: its gradients for ``weights``.

    Args:
        forward: The network or function; the first floating scalar that it gives is the loss.
        scaler: A loss scaler that ``forward`` itself applies; without one each output's gradient is ``scale``.
    """
    step = ReplayedStep(None, roots, scale or 1.0, inputs, forward)
    step.forward = forward
    known = set(map(id, step.parameters))
    step.parameters += [one for one in weights or () if id(one) not in known]  # those that stand in no cell
    if scaler is not None:
        step.parameters.append(scaler.scale_value)

    def run(trace, factor):
        outputs = []

        def scaled(*args):
            outputs.append(forward(*args) if trace is None else trace.call_function(forward, args))
            return _total(outputs[-1], 1.0 if scaler is not None else factor)

        if scaler is not None and scale is not None:
            _set_values([scaler.scale_value], {id(scaler.scale_value): np.array(factor, np.float32)})
        grads = ms_value_and_grad(scaled, weights)(*inputs)[1]
        loss = first_scalar(outputs[-1])
        step.loss = loss / factor if scaler is not None and loss is not None else loss
        if trace is None:
            return grads
        trace.gradients, trace.weights = grads, weights
        return step.loss

    step.run = run
    return step


def ms_value_and_grad(function, weights: list):
    """``mindspore.value_and_grad`` for weights only."""
    import mindspore as ms

    return ms.value_and_grad(function, None, weights)


def _total(output, scale: float):
    """The sum of what MindSpore differentiates: each floating output times its sensitivity; of a function's scalar and
    auxiliary outputs, the scalar alone."""
    from mindspore import Tensor

    scalar = first_scalar(output)
    values = [scalar] if scalar is not None else [v for v in flatten(output) if "Float" in str(getattr(v, "dtype", ""))]
    total = 0.0
    for value in values:
        part = value * Tensor(scale, value.dtype) if scale != 1 else value
        total = (part if part.size == 1 else part.sum()) + total
    return total


def of_function(function, inputs: tuple, roots: list, scaler=None) -> ReplayedStep:
    """The step of a function or cell of the user's that computes gradients and perhaps updates, run as a whole; what it
    does to the loss scaler is undone too."""

    def run(trace, _):
        return function(*inputs) if trace is None else trace.call_function(function, inputs)

    step = ReplayedStep(run, roots, inputs=inputs, function=function)
    held = (getattr(scaler, name, None) for name in ("scale_value", "counter"))
    step.parameters += [parameter for parameter in held if hasattr(parameter, "set_data")]
    return step
