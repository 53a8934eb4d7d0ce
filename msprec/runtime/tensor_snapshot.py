"""Keeping a tensor's value for later."""

from functools import lru_cache

from msprec.record.step_recorder import to_number


def snapshot(tensor):
    """A copy of a Parameter or Tensor of one element, safe to read later when the original has changed.

    On a CPU, where reading costs next to nothing, the value itself; elsewhere a copy on the device, without waiting.

    Returns:
        A plain number or a Tensor, both of which `StepRecorder.put` takes; ``None`` stays ``None``.
    """
    if tensor is None or isinstance(tensor, (bool, int, float)):
        return tensor
    return to_number(tensor) if on_cpu() else tensor.copy()


def wait_for(parameters) -> None:
    """Waits until what was launched before and changes the ``parameters`` is done: that time is the training's own, and is to be
    in no budget."""
    if parameters:
        min(parameters, key=lambda one: one.size).asnumpy()


@lru_cache(maxsize=1)
def on_cpu() -> bool:
    """Whether MindSpore's device target is a CPU. Asked once a process: ask only when a training has begun, from when on
    the target cannot change."""
    from mindspore import context

    return context.get_context("device_target") == "CPU"
