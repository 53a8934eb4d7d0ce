"""Which step a training begins with that goes on from a checkpoint."""

from typing import Optional

from msprec.record.previous_runs import EarlierSteps


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
