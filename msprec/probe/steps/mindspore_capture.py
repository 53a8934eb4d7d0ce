"""Inputs, outputs and gradients of every cell of a MindSpore training step, by running the step once more in PyNative mode."""

from collections.abc import Callable

import numpy as np

from msprec.compare.dumps.msprec_dump import DumpWriter
from msprec.compare.dumps.tensor_names import mapped
from msprec.errors import DumpDone
from msprec.locate.gradients import GradientCatcher, Updated
from msprec.locate.replay import ReplayedStep, undisturbed, watched
from msprec.runtime.cells import is_loss_class, is_optimizer_class, is_wrapper_class, unwrap, walk

#: Statistics that a cell changes when it is called.
_STATISTICS = ("moving_mean", "moving_variance", "running_mean", "running_var")


class StepDumper:
    """Dumps the steps that are wanted; takes the place of a `Capsule` in the observer's options.

    Args:
        writer: Where the tensors go.
        steps: The numbers of the steps, from 1.
    """

    def __init__(self, writer: DumpWriter, steps: frozenset) -> None:
        self.writer, self._wanted = writer, steps
        #: The steps seen, and why a step could not be dumped
        self.seen, self.failure = 0, None

    def try_on(self, build: Callable, step: int, batch: tuple) -> None:
        """A forward pass of ``step`` begins: dumps it if it is wanted.

        Raises:
            DumpDone: No step is wanted any more.
        """
        self.seen = max(self.seen, step)
        if step in self._wanted and step not in self.writer.steps:
            try:
                self.writer.begin(step)
                dump_step(build(batch), self.writer)
            except Exception as error:
                text = str(error).strip().split("\n")[0][:300]
                self.failure = f"step {step} could not be run once more: {type(error).__name__}: {text}"
            finally:
                self.writer.end()
        if self.failure or self.writer.failure or step >= max(self._wanted):
            raise DumpDone


def dump_step(step: ReplayedStep, writer: DumpWriter) -> None:
    """Runs a step once more in PyNative mode and writes what flows through its cells; nothing of the run is changed."""
    catcher = _Catcher(step, writer)
    with undisturbed(step.parameters, None, None), watched(catcher):
        factor = step.scale
        try:
            step.run(catcher, step.scale)
        except Updated:
            factor = 1.0
        catcher.write_gradients(factor)


class _Catcher(GradientCatcher):
    """Sees the calls of cells, forward and backward."""

    def __init__(self, step: ReplayedStep, writer: DumpWriter) -> None:
        super().__init__()
        self._writer, self._scale = writer, step.scale
        self._names, self._owners = _names(step.roots)
        self._calls, self._inside, self._backward, self._optimizer = {}, 0, [], None

    def cell_call(self, original, cell, args, kwargs):
        """A call of a cell."""
        if is_optimizer_class(type(cell)):
            self._optimizer = cell
            return super().cell_call(original, cell, args, kwargs)
        name = self._names.get(id(cell))
        if name is None:
            return original(cell, *args, **kwargs)
        call = self._calls[name] = self._calls.get(name, -1) + 1
        self._parameters(cell, name, call)
        args, kwargs = (self._seen(cell, name, call, "input", given) for given in (args, kwargs))
        result = original(cell, *args, **kwargs)
        result = self._seen(cell, name, call, "output", result)
        self._statistics(cell, name, call)
        return result

    def _put(self, cell, name: str, phase: str, io: str, slot: str, call: int, value, factor: float = 1.0) -> None:
        array, dtype = to_array(value)
        if factor != 1.0 and array.dtype.kind == "f":
            array = array / array.dtype.type(factor)
        self._writer.put(name, type(cell).__name__ if cell is not None else "", phase, io, slot, call, array, dtype)

    def _seen(self, cell, name: str, call: int, io: str, values):
        """Writes each tensor, and gives them back with a hook that sees their gradient."""

        def see(slot, value):
            self._put(cell, name, "forward", io, slot, call, value)
            return self._with_hook(cell, name, call, io, slot, value) if "Float" in str(value.dtype) else value

        return mapped(values, _is_tensor, see)

    def _with_hook(self, cell, name: str, call: int, io: str, slot: str, value):
        from mindspore import ops

        # a gradient comes in at an output and goes out at an input
        io = "input" if io == "output" else "output"

        def see(gradient):
            tensor = gradient[0] if isinstance(gradient, tuple) else gradient
            if _is_tensor(tensor):
                self._put(cell, name, "backward", io, slot, call, tensor, self._scale)

        hooked = ops.HookBackward(see)(value)
        self._backward.append(hooked)  # lives as long as the step
        return hooked

    def _parameters(self, cell, name: str, call: int) -> None:
        if call == 0:
            for slot, parameter in cell._params.items():
                if parameter is not None:
                    self._put(cell, name, "forward", "parameter", slot, call, parameter)

    def _statistics(self, cell, name: str, call: int) -> None:
        held = {**cell._params, **(cell.__dict__.get("_buffers") or {})}
        for slot in _STATISTICS:
            if held.get(slot) is not None:
                self._put(cell, name, "forward", "state", slot, call, held[slot])

    def write_gradients(self, factor: float) -> None:
        """Writes the parameters' gradients, which are ``factor`` times too large."""
        from msprec.callbacks.gradient_sampler import flat

        if self.gradients is None:
            return
        weights = self.weights if self.weights is not None else getattr(self._optimizer, "parameters", ())
        for parameter, gradient in zip(list(weights), flat(self.gradients)):
            owner = self._owners.get(id(parameter))
            if owner is not None and _is_tensor(gradient):
                cell, name, slot = owner
                self._put(cell, name, "backward", "gradient", slot, 0, gradient, factor)


def _names(roots: list) -> tuple:
    """``({id(cell): name}, {id(parameter): (cell, name, slot)})``: of each network below the roots its cells by their paths in
    it; of the second network on, with its class in front; losses are "loss"."""
    names, owners, networks = {}, {}, 0
    for root in dict.fromkeys(_networks(roots)):
        loss = is_loss_class(type(root))
        prefix = "loss" if loss else type(root).__name__ if networks else ""
        networks += not loss
        for path, cell in walk(root, optimizers=False):
            if id(cell) in names or is_wrapper_class(type(cell)):
                continue
            name = ".".join(part for part in (prefix, path) if part)
            names[id(cell)] = name
            for slot, parameter in cell._params.items():
                if parameter is not None:
                    owners.setdefault(id(parameter), (cell, name, slot))
    return names, owners


def _networks(roots: list) -> list:
    """Networks first, then losses."""
    found, losses = [], []
    for root in roots:
        if is_optimizer_class(type(root)):
            continue
        (losses if is_loss_class(type(root)) else found).append(unwrap(root))
        losses += [cell for _, cell in walk(root, optimizers=False) if is_loss_class(type(cell))]
    return [*found, *losses]


def _is_tensor(value) -> bool:
    return hasattr(value, "asnumpy") and hasattr(value, "dtype")


def to_array(tensor) -> tuple:
    """``(values, dtype)`` of a MindSpore tensor, copied; bfloat16 as float32."""
    dtype = str(tensor.dtype).lower()
    array = (tensor.float() if dtype == "bfloat16" else tensor).asnumpy()
    return np.array(array, copy=True), dtype
