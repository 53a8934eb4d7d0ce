"""Dumps what flows through a PyTorch network, to compare a MindSpore migration with it. Needs PyTorch alone, not MindSpore.

    import msprec.torch
    dump = msprec.torch.dump(model, "pytorch_dump", steps="1-2")
    ...                                   # train as before
    dump.close()

Then ``msprec dump --steps 1-2 --out mindspore_dump train.py`` and ``msprec compare tensors pytorch_dump mindspore_dump``.
"""

import atexit
from typing import Union

from msprec.compare.dumps.msprec_dump import DumpWriter, has_dump
from msprec.compare.dumps.tensor_names import mapped, wanted_steps

_STATISTICS = ("running_mean", "running_var")


class Dump:
    """Listens to a network; made by `dump`. A step begins with each forward pass that can be differentiated.

    Attributes:
        step: The number of the present step, from 1.
    """

    def __init__(self, model, writer: DumpWriter, steps: frozenset) -> None:
        self.step = 0
        self._writer, self._wanted, self._on = writer, steps, False
        self._calls: dict[str, int] = {}
        self._handles: list = []
        self._once: list = []
        for name, module in model.named_modules():
            self._listen(name, module, module is model)
        atexit.register(self.close)

    def close(self) -> None:
        """Takes all hooks out and ends the dump."""
        atexit.unregister(self.close)
        for handle in (*self._handles, *self._once):
            handle.remove()
        self._handles, self._once, self._on = [], [], False
        self._writer.end()
        if self._writer.failure:
            import warnings

            warnings.warn(f"msprec: the dump is not whole: {self._writer.failure}", RuntimeWarning, stacklevel=2)
            self._writer.failure = None

    def __enter__(self) -> "Dump":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # --- hooks --------------------------------------------------------------------------------------------------
    def _listen(self, name: str, module, root: bool) -> None:
        def before(module, args, kwargs):
            if root:
                self._begin()
            if not self._on:
                return None
            call = self._calls[name] = self._calls.get(name, -1) + 1
            if call == 0:
                self._parameters(module, name)
            return tuple(self._seen(module, name, call, "input", given) for given in (args, kwargs))

        def after(module, args, kwargs, output):
            if not self._on:
                return
            self._seen(module, name, self._calls[name], "output", output)
            for slot in _STATISTICS:
                value = getattr(module, slot, None)
                if value is not None:
                    self._put(module, name, "forward", "state", slot, self._calls[name], value)

        self._handles.append(module.register_forward_pre_hook(before, with_kwargs=True))
        self._handles.append(module.register_forward_hook(after, with_kwargs=True))

    def _begin(self) -> None:
        import torch

        if not torch.is_grad_enabled():
            self._on = False  # evaluation
            return
        for handle in self._once:
            handle.remove()
        self._once, self._calls = [], {}
        self.step += 1
        self._on = self.step in self._wanted
        self._writer.begin(self.step) if self._on else self._writer.end()

    def _seen(self, module, name: str, call: int, io: str, values):
        """Writes each tensor; inputs are given back as views of themselves, so that each use has its own gradient."""

        def see(slot, value):
            self._put(module, name, "forward", io, slot, call, value)
            if not value.requires_grad:
                return value
            # a module that changes its input in place must change what it was given, not a view of it
            view = io == "input" and not getattr(module, "inplace", False)
            value = value.view_as(value) if view else value
            way = "input" if io == "output" else "output"
            self._hook(value, module, name, "backward", way, slot, call)
            return value

        return mapped(values, _is_tensor, see)

    def _hook(self, tensor, module, name: str, phase: str, io: str, slot: str, call: int) -> None:
        step = self.step

        def see(gradient):
            if self._on and self.step == step:
                self._put(module, name, phase, io, slot, call, gradient)

        self._once.append(tensor.register_hook(see))

    def _parameters(self, module, name: str) -> None:
        held = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        for slot, value in held:
            if slot == "num_batches_tracked":
                continue
            self._put(module, name, "forward", "parameter", slot, 0, value)
            if value.requires_grad:
                self._hook(value, module, name, "backward", "gradient", slot, 0)

    def _put(self, module, name: str, phase: str, io: str, slot: str, call: int, value) -> None:
        dtype = str(value.dtype).rpartition(".")[2]
        values = value.detach()
        values = (values.float() if dtype == "bfloat16" else values).cpu().numpy().copy()
        self._writer.put(name, type(module).__name__, phase, io, slot, call, values, dtype)


def dump(model, folder, steps: Union[str, int] = "1", statistics: bool = False) -> Dump:
    """Dumps the inputs and outputs of every module, forward and backward, its parameters and their gradients.

    Nothing of the training changes but its time. A step is a forward pass of ``model`` with gradients switched on.

    Args:
        model: The ``torch.nn.Module``; dump before it is wrapped for data parallel training.
        folder: The folder to write; must not hold a dump yet.
        steps: Which steps, from 1: "1-2", "1,10", 3.
        statistics: Write maximum, minimum, mean and norm only, no values.

    Returns:
        Dump: call its ``close`` when the steps are over, or use it in a ``with``.

    Raises:
        FileExistsError: The folder holds a dump.
        msprec.compare.errors.CannotRead: ``steps`` names no steps.
    """
    wanted = wanted_steps(str(steps))
    if has_dump(folder):
        raise FileExistsError(f"{folder} holds a dump already")
    return Dump(model, DumpWriter(folder, "torch", statistics), wanted)


def _is_tensor(value) -> bool:
    return hasattr(value, "requires_grad") and hasattr(value, "detach")
