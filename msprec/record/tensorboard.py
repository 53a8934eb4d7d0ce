"""The scalars of each step as TensorBoard events. No MindSpore."""

import contextlib
import time
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

#: The file is handed to the disk no sooner than so many times what that took the last time.
_SLOW_TIMES = 30.0

MISSING = 'TensorBoard events need tensorboardX: pip install "msprec[tensorboard]"'


class TensorBoardWriter:
    """Writes an event file; a listener for `StepRecorder.add_listener`.

    Events are written by the caller itself, not by the thread of tensorboardX's SummaryWriter: where that thread meets a full
    disk it ends, its queue fills, and whoever adds to it waits for ever. What cannot be written is given up for good: the record
    after a torn one could not be read. ``steps.csv`` holds the same numbers.

    Args:
        folder: Where the event file goes; made when the first rows come.

    Raises:
        ImportError: tensorboardX is not installed, or cannot be imported.
    """

    def __init__(self, folder: Union[str, Path]) -> None:
        require()
        self._folder = Path(folder)
        self._writer: Any = None  # a tensorboardX EventsWriter from the first rows on
        self._given_up = False
        self._next_flush = 0.0

    def __call__(self, rows: list) -> None:
        """Writes ``rows``.

        Raises:
            Exception: Whatever writing raises, the first time; later rows are left out silently.
        """
        if self._given_up:
            return
        try:
            self._write(rows)
        except BaseException:
            self._given_up = True
            with contextlib.suppress(Exception):
                self.close()
            raise

    def _write(self, rows: list) -> None:
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.summary import scalar

        if self._writer is None:
            from tensorboardX.event_file_writer import EventsWriter

            self._folder.mkdir(parents=True, exist_ok=True)
            self._writer = EventsWriter(str(self._folder / "events"))
        for row in rows:
            for tag, value in scalars_of(row):
                self._writer.write_event(
                    Event(wall_time=time.time(), step=int(row["step"]), summary=scalar(tag, value))
                )
        begin = time.monotonic()
        if begin >= self._next_flush:  # it waits until the disk has taken it: on a slow one seldom
            self._writer.flush()
            self._next_flush = time.monotonic() + _SLOW_TIMES * (time.monotonic() - begin)

    def close(self) -> None:
        """No row follows."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


def scalars_of(row: dict) -> list:
    """``(tag, value)`` of what a row of plain numbers holds."""
    return [(tag, float(row[name])) for name, tag in TAGS.items() if name in row]


def require() -> None:
    """Raises ImportError, with what to install, where tensorboardX is not there or cannot be imported."""
    try:
        import tensorboardX.event_file_writer  # noqa: F401
    except Exception as error:  # a protobuf that does not fit raises a TypeError
        broken = (
            "" if isinstance(error, ImportError) else f" ({type(error).__name__}: {str(error).splitlines()[0][:200]})"
        )
        raise ImportError(MISSING + broken) from error
