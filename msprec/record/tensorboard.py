"""The scalars of each step as TensorBoard events. No MindSpore."""

from pathlib import Path
from typing import Any, Union

#: Column or field of a row, and the tag it is shown under.
TAGS = {
    "loss": "loss",
    "grad_norm": "gradient_norm",
    "lr": "learning_rate",
    "scale": "loss_scale/scale",
    "overflow": "loss_scale/overflow",
    "seconds": "time/compute_seconds",
    "data_seconds": "time/data_seconds",
    "callback_seconds": "time/callback_seconds",
}

MISSING = 'TensorBoard events need tensorboardX: pip install "msprec[tensorboard]"'


class TensorBoardWriter:
    """Writes an event file; a listener for `StepRecorder.add_listener`.

    Args:
        folder: Where the event file goes; made when the first rows come.

    Raises:
        ImportError: tensorboardX is not installed.
    """

    def __init__(self, folder: Union[str, Path]) -> None:
        require()
        self._folder = Path(folder)
        self._writer: Any = None  # a tensorboardX.SummaryWriter from the first rows on

    def __call__(self, rows: list) -> None:
        if self._writer is None:
            from tensorboardX import SummaryWriter

            self._writer = SummaryWriter(str(self._folder))
        for row in rows:
            for tag, value in scalars_of(row):
                self._writer.add_scalar(tag, value, int(row["step"]))
        self._writer.flush()

    def close(self) -> None:
        """No row follows."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def scalars_of(row: dict) -> list:
    """``(tag, value)`` of what a row of plain numbers holds."""
    return [(tag, float(row[name])) for name, tag in TAGS.items() if name in row]


def require() -> None:
    """Raises ImportError, with what to install, where tensorboardX is not there."""
    try:
        import tensorboardX  # noqa: F401
    except ImportError as error:
        raise ImportError(MISSING) from error
