"""The whole output of a training cell with a loss scale, as a loop hands it to `msprec.watch`: (loss, overflow, loss scale)."""

from typing import Any

from msprec.callbacks.train_outputs import ScalerFollower, loss_scale_facts, scaler_facts, scaling_cell
from msprec.runtime.tensor_snapshot import snapshot


class ScaleFollower(ScalerFollower):
    """Follows the loss scale that a training cell holds (``scale_sense``); given a scaler, that.

    Args:
        scaler: The loss scaler of the loop, or None.
        network: What `msprec.watch` was given. Where that is no training cell, an output that holds the parameter of its scale
            tells it. A plain value there does not say whether the scale was adjusted before or after.
    """

    def __init__(self, scaler: Any, network: Any) -> None:
        super().__init__(scaler)
        cell = scaling_cell(network) if scaler is None else None
        self._held = getattr(cell, "scale_sense", None)
        #: The entry ``loss_scale`` of ``train_step.json``, with ``flag`` and ``overflow_from`` where a cell tells them
        self.facts = scaler_facts(scaler) if cell is None else loss_scale_facts(cell)

    def state(self) -> tuple:
        return super().state() if self._held is None else (snapshot(self._held), None)

    def parts(self, loss: Any, overflow: Any, scale: Any) -> tuple:
        """``(loss, overflow, scale)`` of a step: those that are named, and what ``loss`` holds of them where it is a tuple."""
        if not isinstance(loss, (tuple, list)) or not loss:
            return loss, overflow, scale
        loss, *told = loss
        if overflow is None and told:
            overflow = told[0]
        if len(told) > 1 and self.scaler is None and self._held is None and type(told[1]).__name__ == "Parameter":
            self._held = told[1]  # changed within the step: known from the next one on
        return loss, overflow, scale
