"""Step scalars as TensorBoard events, beside the other monitors."""

from pathlib import Path
from typing import Union

from msprec.callbacks.base import Monitor
from msprec.record.tensorboard import TensorBoardWriter, require


def attach(recorder, folder: Union[bool, str, Path]) -> None:
    """Writes the rows of ``recorder`` as events too, once however often it is asked for; ``folder`` True:
    ``rank_N/tensorboard`` of the run folder."""
    target = recorder.writer.rank_folder / "tensorboard" if isinstance(folder, bool) else Path(folder)
    recorder.add_listener(TensorBoardWriter(target), name="tensorboard")


class TensorBoardMonitor(Monitor):
    """Writes what the monitors of the same run record of each step as TensorBoard events.

    Args:
        folder: Where the event file goes; ``True``: ``rank_N/tensorboard`` of the run folder.
        out: The run folder, as for `LossScaleMonitor`.

    Raises:
        ImportError: tensorboardX is not installed.
    """

    def __init__(self, folder: Union[bool, str, Path] = True, out=None) -> None:
        super().__init__(out)
        require()
        self._target = folder

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        attach(self.recorder, self._target)
