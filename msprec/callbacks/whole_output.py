"""The whole output of a training cell with a loss scale, as a loop hands it to `msprec.watch`: (loss, overflow, loss scale)."""

from typing import Any

from msprec.callbacks.train_outputs import ScalerFollower, loss_and_flag
from msprec.runtime.tensor_snapshot import snapshot


class OutputFollower(ScalerFollower):
    """Follows the loss scale of a loop by its scaler, or by the loss scale that a training cell puts out with the loss.

    Args:
        scaler: The loss scaler of the loop, or None.
    """

    def __init__(self, scaler: Any) -> None:
        super().__init__(scaler)
        self._held: Any = None

    def state(self) -> tuple:
        return super().state() if self._held is None else (snapshot(self._held), None)

    def parts(self, outputs: Any, overflow: Any, scale: Any) -> tuple:
        """``(loss, overflow, scale)`` of a step: those that are named, and what ``outputs`` holds of them where it is a tuple."""
        loss, flag = loss_and_flag(outputs)
        told = outputs[2] if flag is not None and len(outputs) == 3 and outputs[1] is flag else None
        # a tensor may hold the scale of before the step or of after it; a parameter is of use from the next step on
        if type(told).__name__ == "Parameter" and self.scaler is None:
            self._held = told
        return loss, flag if overflow is None else overflow, scale
