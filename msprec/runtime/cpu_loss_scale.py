"""Loss-scale training cells on a CPU, where MindSpore's own overflow check has no kernel."""

from mindspore import context, ops

from msprec.runtime import hook_points

_ORIGINAL = "_msprec_device_overflow_status"
_ascend_grad_overflow = hook_points.value("gradient_overflow")


@ops.constexpr
def _on_cpu() -> bool:
    return context.get_context("device_target") == "CPU"


def _get_overflow_status(self, status, compute_output):
    # compiled from this source in graph mode; the branch not taken is dropped there
    if _on_cpu():
        overflow = self._get_distributed_overflow_status_on_infnan_mode(_ascend_grad_overflow, compute_output)
    else:
        overflow = self._msprec_device_overflow_status(status, compute_output)
    return overflow


class _Context:
    """``mindspore.context`` as `build_train_network` sees it: its only question is whether a CPU forbids loss-scale
    cells."""

    def __getattr__(self, name: str):
        return getattr(context, name)

    @staticmethod
    def get_context(key: str):
        if key == "enable_ge" and context.get_context("device_target") == "CPU":
            return True
        return context.get_context(key)


def enable_loss_scale_on_cpu() -> bool:
    """Lets ``nn.TrainOneStepWithLossScaleCell`` train on a CPU, in graph and PyNative mode, for the rest of the
    process.

    MindSpore asks the device for its overflow state, which a CPU does not keep, and `Model` refuses a dynamic loss
    scale there. After this call the flag says, on a CPU, whether any gradient holds NaN or infinity, after unscaling
    and, in a distributed run, on any
    rank: MindSpore's own check for Ascend devices in INF/NaN mode. The cell may be made before or after the call, by
        hand or by
    ``Model(loss_scale_manager=DynamicLossScaleManager())``, ``FixedLossScaleManager(drop_overflow_update=True)`` or
    ``amp_level="O2"``. A subclass that has its own ``get_overflow_status`` keeps it. On any other device target nothing
    changes. Calling it again does no harm.

    Returns:
        bool, whether loss-scale cells can train on a CPU now. ``False``: this MindSpore lacks a part that is needed;
        nothing was changed.
    """
    status, over_ranks = hook_points.find("overflow_status"), hook_points.find("overflow_status_over_ranks")
    if status is None or over_ranks is None or _ascend_grad_overflow is None:
        return False
    cell = status.owner
    if _ORIGINAL in vars(cell):
        return True
    if "get_overflow_status" not in vars(cell):
        return False
    setattr(cell, _ORIGINAL, cell.get_overflow_status)
    cell.get_overflow_status = _get_overflow_status
    refusing = hook_points.find("amp_context")
    if refusing is not None and refusing.value is context:
        refusing.owner.context = _Context()
    return True
