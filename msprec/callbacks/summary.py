"""Step scalars in a `SummaryRecord` of the user's, beside what the user puts there."""

from collections import deque

import numpy as np
from mindspore import Tensor

from msprec.callbacks.base import Monitor
from msprec.record.step_recorder import UNWRITTEN_ROWS
from msprec.record.tensorboard import scalars_of
from msprec.runtime import hook_points


class SummaryWriter:
    """Writes the scalars of rows into a ``mindspore.train.SummaryRecord``; a listener for `StepRecorder.add_listener`.

    The user's own summaries stay what they are: while the user has values in the record that are not written yet, rows wait,
    as writing would put those values to another step; and what summary operators have told is left for the user's ``record``.

    Args:
        record: The SummaryRecord.

    Raises:
        TypeError: ``record`` cannot take values as a SummaryRecord does.
    """

    def __init__(self, record) -> None:
        if not all(callable(getattr(record, name, None)) for name in ("add_value", "record", "set_mode")):
            raise TypeError(f"summary is a mindspore.train.SummaryRecord; got {type(record).__name__}")
        hook_points.find("summary_data")
        self._record = record
        self._rows: deque = deque(maxlen=UNWRITTEN_ROWS)
        self._closed = False

    def __call__(self, rows: list) -> None:
        """Writes ``rows``, and those that have waited.

        Raises:
            RuntimeError: The record is closed; the first time only.
        """
        if self._closed:
            return
        self._rows.extend(rows)
        if not any(getattr(self._record, "_data_pool", {}).values()):
            self._write()

    def close(self) -> None:
        """No row follows.

        Raises:
            RuntimeError: Rows still wait for the user's values to be written.
        """
        self([])
        waiting = len(self._rows)
        self._rows.clear()
        if waiting:
            raise RuntimeError(f"{waiting} steps are not in the SummaryRecord, as values in it were never recorded")

    def _write(self) -> None:
        mode = getattr(self._record, "_mode", "train")
        self._record.set_mode("eval")  # in which summary operators are not asked
        try:
            while self._rows:
                row = self._rows.popleft()
                for tag, value in scalars_of(row):
                    self._record.add_value("scalar", tag, Tensor(np.float32(value)))
                if not self._record.record(int(row["step"])):
                    self._closed = True
                    self._rows.clear()
                    raise RuntimeError("the SummaryRecord is closed: the scalars of further steps are not in it")
        finally:
            self._record.set_mode(mode)


class SummaryMonitor(Monitor):
    """Writes what the monitors of the same run record of each step into a `SummaryRecord`, under the tags that TensorBoard
    events have.

    Args:
        record: A ``mindspore.train.SummaryRecord``; whoever made it closes it, after the training.
        out: The run folder, as for `LossScaleMonitor`.

    Raises:
        TypeError: ``record`` is none.

    Examples:
        >>> with SummaryRecord("summaries") as record:
        ...     model.train(10, dataset, callbacks=[PrecisionMonitor(summary=record)])
    """

    def __init__(self, record, out=None) -> None:
        super().__init__(out)
        self._writer = SummaryWriter(record)

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        self.recorder.add_listener(self._writer)

    def _training_over(self, error=None) -> None:
        self.recorder.remove_listener(self._writer)
        self._writer.close()
