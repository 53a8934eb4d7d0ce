"""Which step a training begins with that goes on from a checkpoint."""

from typing import Any, Optional

from msprec.record.previous_runs import EarlierSteps
from msprec.record.step_recorder import StepRecorder, recorder_beside, recorder_for, to_number


def recorder_of_training(out: Any, optimizer: Any, resume: bool) -> StepRecorder:
    """The recorder of a training: of the folder ``out``; where that holds steps of an earlier process and it begins anew,
    of a folder of its own beside it.

    Args:
        out: The run folder, as for `recorder_for`.
        optimizer: The training's, or None. It begins anew where that has made no update, by its own count or for want of one.
        resume: Go on in the folder in any case.
    """
    recorder = recorder_for(out)
    earlier = recorder.earlier
    if out is None or resume or earlier is None or not earlier.last:
        return recorder
    count = getattr(optimizer, "global_step", None)
    return recorder if count is not None and to_number(count) else recorder_beside(out)


def resumed_after(earlier: EarlierSteps, parameters, updates: Optional[int]) -> Optional[tuple]:
    """``(steps done before, how that is known)`` at the first step of a process; None where nothing was done before.

    - ``"initial_epoch"``: the first epoch is not epoch 1; ``batch_num`` steps an epoch.
    - ``"global_step"``: the optimizer has made updates, and the folder holds earlier steps to count them in.
    - ``"record"``: the folder holds earlier steps, and nothing tells where this training goes on: after the last one.

    Args:
        earlier: What the folder holds.
        parameters: The callbacks' parameters at the first step's begin.
        updates: The optimizer's ``global_step`` before it, or None.
    """
    epoch, batches = parameters.get("cur_epoch_num"), parameters.get("batch_num")
    if epoch and batches and epoch > 1:
        return (int(epoch) - 1) * int(batches), "initial_epoch"
    if not earlier.last:
        return None
    if updates:
        return earlier.step_of(updates), "global_step"
    return earlier.last, "record"
