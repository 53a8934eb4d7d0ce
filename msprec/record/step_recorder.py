"""Records one row a training step, in batches. No MindSpore here: tensors are known by their ``asnumpy``."""

import atexit
import contextlib
import math
import os
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Callable, Optional, Union

from msprec.record.previous_runs import EarlierSteps
from msprec.record.writer import RunWriter, warn_once

#: The columns of ``rank_N/steps.csv``, in their order.
COLUMNS = (
    "step",
    "epoch",
    "loss",
    "overflow",
    "scale",
    "next_scale",
    "lr",
    "seconds",
    "data_seconds",
    "batch",
    "callback_seconds",
)

#: Rows are written when so many wait, or when the last writing was so many seconds ago.
FLUSH_ROWS = 256
FLUSH_SECONDS = 0.8

#: A disk is slow where writing rows takes so many seconds. The next writing then waits so many times what the last one took
#: (3 % of the time), but no longer than so many seconds or so many rows.
SLOW, SLOW_TIMES, SLOW_SECONDS, SLOW_ROWS = 0.025, 30.0, 10.0, 4096

#: Rows that could not be written are kept for another try, the newest so many.
UNWRITTEN_ROWS = 20_000

_WHOLE_NUMBERS = frozenset(("step", "epoch", "batch", "overflow"))
_SECONDS = frozenset(("seconds", "data_seconds", "callback_seconds"))
#: What `to_number` gives back as it is.
_PLAIN = frozenset((float, int, bool, type(None)))


def to_number(value):
    """Turns a number, a NumPy scalar or a tensor into a plain number; ``None`` stays.

    A tensor is read through ``asnumpy`` (bfloat16, which NumPy lacks, through float32). Of several elements a bool
    tensor gives whether all are true and any other the mean, as MindSpore's own monitors read them.

    Raises:
        TypeError, ValueError: ``value`` is no number.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (int, float)):  # a NumPy scalar, say
        return float(value) if isinstance(value, float) else int(value)
    if hasattr(value, "asnumpy"):
        if getattr(value, "size", None) == 1 and hasattr(value, "item"):
            found = value.item()  # a twentieth of the time of asnumpy
            if isinstance(found, (bool, int, float)):
                return found
        try:
            value = value.asnumpy()
        except (TypeError, ValueError, RuntimeError):
            value = value.float().asnumpy()
        if value is None:
            return None
    if hasattr(value, "dtype") and hasattr(value, "size"):
        if value.dtype.kind == "b":
            return bool(value.all())
        if value.size == 1:
            value = value.reshape(()).item()
            return value if isinstance(value, (bool, int)) else float(value)
        return float(value.astype("float64").mean())
    return float(value)


class StepRecorder:
    """Gathers what several monitors see of one step into one row of ``rank_N/steps.csv``.

    Args:
        writer: Where the rows go.
        first_step: Number of the first step to come.

    A monitor calls ``put`` as often as it likes and ``end`` once a step. Where several share a recorder, each announces
    itself by ``join`` and passes itself to ``end``: a row is complete when all of them have ended it, or when anyone
    ends a later step. Complete rows are converted and written in batches: 256 rows, or 0.8 seconds, whichever
    comes first. No method raises.
    """

    def __init__(self, writer: RunWriter, first_step: int = 1) -> None:
        self.writer = writer
        self.last_step = first_step - 1
        self._rows: dict[int, dict] = {}
        self._ended: dict = {}
        self._complete = 0
        self._written_to = first_step - 1
        self._members: set = set()
        self._listeners: list[Callable] = []
        self._fillers: list = []
        self._held_back: list = []
        self._named: dict = {}
        self._last_flush = time.monotonic()
        self._patience = 0.0
        self._lock = threading.RLock()
        self._registered = False
        self._pid = os.getpid()
        self._unwritten: list = []
        self._lost = 0
        self.closed = False
        #: What the folder held before this process, until a training has taken it: `recorder_for` sets it.
        self.earlier: Optional[EarlierSteps] = None

    def resume_after(self, step: int) -> None:
        """The next step to come is ``step + 1``, whatever the folder holds; nothing may have been put before."""
        with self._lock:
            self.last_step = self._written_to = self._complete = step

    # what monitors call at each step

    def put(self, step: int, **fields) -> None:
        """Merges ``fields`` into the row of ``step``.

        Values are numbers, ``None`` or tensors. A tensor is kept and read when the row is written, so one that changes
        later (a Parameter) has to be copied first. Fields that are no column of ``steps.csv`` reach the listeners only.
        A row that has been written takes nothing more.
        """
        with self._lock:
            if step <= self._written_to or self.closed:
                return
            row = self._rows.get(step)
            if row is None:
                row = self._rows[step] = {"step": step}
            row.update(fields)

    def end(self, step: int, by=None, first: Optional[int] = None, more: bool = False) -> None:
        """Tells that ``by`` (a joined monitor; ``None``: anyone) adds no more to ``step``; writes when it is time.

        With ``first``, the steps from there to ``step`` end together: those of a sink. Of them, one that nothing was put
        for gets no row. With ``more``, later steps are told at once, and nothing is written before.
        """
        with self._lock:
            if step <= self._written_to or self.closed:
                return
            if step not in self._rows:
                self._rows[step] = {"step": step}
            first = step if first is None else max(first, self._written_to + 1)
            if step > self.last_step:
                self.last_step = step
                self._complete = first - 1
            for one in range(first, step):
                if one in self._rows:
                    self._ended.setdefault(one, set()).add(by)
            enders = self._ended.setdefault(step, set())
            enders.add(by)
            if self._members <= enders:
                self._complete = max(self._complete, step)
            if not self._registered:
                self._register()
            if not more and self._is_time():
                self._write(self._complete)

    def _is_time(self) -> bool:
        if len(self._rows) >= SLOW_ROWS or time.monotonic() >= self.due():
            return True
        return len(self._rows) >= FLUSH_ROWS and time.monotonic() >= self._last_flush + self._patience

    def join(self, member) -> None:
        """Counts ``member`` among those who end each step."""
        with self._lock:
            self._members.add(member)

    def leave(self, member) -> None:
        """Counts ``member`` no more."""
        with self._lock:
            self._members.discard(member)

    # reading along

    def add_listener(self, listener: Callable, name: Optional[str] = None):
        """Calls ``listener(rows)`` with each batch of rows written: dicts of plain numbers, a missing key was not
        observed.

        Args:
            listener: The function or callable object.
            name: With a name, the first listener of that name stays and a later one is not added.

        Returns:
            The listener that is attached now.
        """
        with self._lock:
            if name is not None and name in self._named:
                return self._named[name]
            if name is not None:
                self._named[name] = listener
            self._listeners.append(listener)
            return listener

    def remove_listener(self, listener) -> None:
        """Calls ``listener`` no more; one with a name stays known by it."""
        self._take_out(self._listeners, listener)

    def add_filler(self, filler: Callable) -> None:
        """Calls ``filler(row)`` with each row of plain numbers, in step order, before it is written, to add to it."""
        with self._lock:
            self._fillers.append(filler)

    def before_flush(self, function: Callable) -> None:
        """Calls ``function()`` before each `flush`: it may hold steps back, and puts and ends them now."""
        with self._lock:
            self._held_back.append(function)

    def remove_before_flush(self, function: Callable) -> None:
        """Calls ``function`` no more."""
        self._take_out(self._held_back, function)

    def _take_out(self, functions: list, function: Callable) -> None:
        with self._lock:
            if function in functions:
                functions.remove(function)

    def due(self) -> float:
        """When rows are to be written next, by `time.monotonic`."""
        return self._last_flush + max(FLUSH_SECONDS, self._patience)

    def has_only(self, member) -> bool:
        """Whether ``member`` is the only one who has joined."""
        return len(self._members) == 1 and member in self._members

    def flush(self) -> None:
        """Writes every row that anyone has ended."""
        with self._lock:
            for function in tuple(self._held_back):
                self.guard(_name_of(function), function)
            self._write(self.last_step)

    def close(self) -> None:
        """Writes what is left, lets the listeners finish (their ``close()``, where they have one), and closes. Rows
        never ended are dropped."""
        with self._lock:
            if self.closed or os.getpid() != self._pid:
                return
            self.flush()
            self.closed = True
            for listener in self._listeners:
                finish = getattr(listener, "close", None)
                if finish is not None:
                    self.guard("close", finish)
            self._rows.clear()

    def guard(self, where: str, function: Callable, *args):
        """Calls ``function``; its error becomes one warning and one ``monitor_error`` event a place, never an
        exception."""
        try:
            return function(*args)
        except Exception as error:
            self.report_error(where, error)
            return None

    def report_error(self, where: str, error: BaseException) -> None:
        """One ``monitor_error`` event for each ``where``, and one warning altogether."""
        with contextlib.suppress(Exception):
            told = self.__dict__.setdefault("_told", set())
            if where not in told:
                told.add(where)
                self.writer.event("monitor_error", self.last_step, where=where, error=_short(error))
            warn_once(self, f"a monitor failed in {where}, training goes on: {_short(error)}")

    # inside

    def _write(self, up_to: int) -> None:
        self._last_flush = time.monotonic()
        if os.getpid() != self._pid:
            self._rows.clear()
            return
        if up_to <= self._written_to:
            return
        steps = sorted(step for step in self._rows if step <= up_to)
        rows = [self._plain_row(self._rows.pop(step)) for step in steps if step in self._ended]
        self._rows = {step: row for step, row in self._rows.items() if step > up_to}
        self._ended = {step: enders for step, enders in self._ended.items() if step > up_to}
        self._written_to = up_to
        if rows:
            for filler in tuple(self._fillers):
                for row in rows:
                    self.guard(_name_of(filler), filler, row)
            begin = time.monotonic()  # reading the tensors before may have waited for the device
            self.guard("steps.csv", self._append, rows)
            taken = time.monotonic() - begin
            self._patience = min(SLOW_SECONDS, SLOW_TIMES * taken) if taken > SLOW else 0.0
            for listener in tuple(self._listeners):
                self.guard(_name_of(listener), listener, rows)
        self._last_flush = time.monotonic()

    def _append(self, rows: list) -> None:
        lines = [",".join([_cell(row.get(column), column) for column in COLUMNS]) for row in rows]
        failed = bool(self._unwritten)
        self._unwritten += lines
        if not self.writer.append("steps.csv", "\n".join(self._unwritten) + "\n", header=",".join(COLUMNS) + "\n"):
            # tried again with the next rows: a disk may have room again. A row written twice counts once for readers
            self._lost += max(0, len(self._unwritten) - UNWRITTEN_ROWS)
            del self._unwritten[:-UNWRITTEN_ROWS]
            return
        self._unwritten = []
        if failed:
            self.writer.event(
                "monitor_error", rows[-1]["step"], where="steps.csv", error=self.writer.failure, lost=self._lost
            )
            self._lost = 0

    def _plain_row(self, row: dict) -> dict:
        done = {}
        for name, value in row.items():
            if type(value) not in _PLAIN:
                try:
                    value = to_number(value)
                except Exception as error:
                    self.report_error(f"reading {name}", error)
                    continue
            if value is not None:
                # a clock tells no more than tenths of a microsecond
                done[name] = round(value, 7) if name in _SECONDS else value
        return done

    def _register(self) -> None:
        # only now, when a training runs and MindSpore is loaded: exit functions run last come first, and tensors must
        # still be readable
        self._registered = True
        myself = weakref.ref(self)

        def at_exit():
            recorder = myself()
            if recorder is not None:
                recorder.guard("exit", recorder.close)

        atexit.register(at_exit)


def _cell(value, column: str) -> str:
    if value is None:
        return ""
    if value is True or value is False:
        return "1" if value else "0"
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        if column in _WHOLE_NUMBERS:
            return str(int(value))
    return repr(value)


def _short(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}"[:300]


def _name_of(listener) -> str:
    return getattr(listener, "__qualname__", None) or type(listener).__name__


# which recorder a monitor writes to

_lock = threading.RLock()
_recorders: dict[Any, StepRecorder] = {}
_default: Optional[StepRecorder] = None


def use_recorder(recorder: Optional[StepRecorder]) -> None:
    """Makes ``recorder`` the one of every monitor in this process, whatever its ``out``; ``None`` takes that back."""
    global _default
    with _lock:
        _default = recorder


def in_use() -> Optional[StepRecorder]:
    """The recorder set by `use_recorder`, or ``None``."""
    return _default


def open_recorders() -> list:
    """The recorders of this process that take rows: the one set by `use_recorder` alone, where there is one."""
    with _lock:
        listed = [_default] if _default is not None else list(_recorders.values())
    return [recorder for recorder in listed if not recorder.closed]


def recorder_for(out: Union[str, Path, None] = None) -> StepRecorder:
    """The recorder that writes into the run folder ``out``; monitors that name the same folder share one.

    Args:
        out: The run folder. ``None``: a new ``msprec_runs/run_YYYYmmdd_HHMMSS`` below the working directory, the same
            one for every call of this process. Where `use_recorder` has set a recorder, that one is returned and
            ``out`` is not looked at.

    Returns:
        StepRecorder, of this process's rank.
    """
    with _lock:
        if _default is not None:
            return _default
        key = None if out is None else str(Path(out).absolute())
        recorder = _recorders.get(key)
        if recorder is None or recorder.closed or recorder._pid != os.getpid():
            rank, size = process_rank()
            folder = _new_folder(size) if out is None else Path(out)
            earlier = EarlierSteps(folder, rank)
            recorder = _recorders[key] = StepRecorder(RunWriter(folder, rank))
            recorder.earlier = earlier
        return recorder


def recorder_beside(out: Union[str, Path]) -> StepRecorder:
    """For a training that begins anew where the folder ``out`` holds another's steps: the recorder of a folder of its own beside
    it, from now on that of everyone who names ``out``. Says so on the standard error stream."""
    rank, _ = process_rank()
    number, folder = 2, Path(out)
    while (own := folder.with_name(f"{folder.name}-{number}") / f"rank_{rank}").exists():
        number += 1
    with _lock:
        recorder = _recorders[str(folder.absolute())] = StepRecorder(RunWriter(own.parent, rank))
    with contextlib.suppress(Exception):
        print(
            f"msprec: {folder} holds the steps of another training; this one, which begins anew, is recorded in {own.parent} "
            "(resume=True goes on in the same folder)",
            file=sys.stderr,
        )
    return recorder


def process_rank() -> tuple:
    """``(rank, rank_size)`` of this process: of the communication group, else from the launcher's environment."""
    with contextlib.suppress(Exception):
        if "mindspore" in sys.modules:
            from mindspore.communication import GlobalComm, get_group_size, get_rank

            if GlobalComm.INITED:
                return int(get_rank()), int(get_group_size())
    with contextlib.suppress(ValueError):
        size = int(os.environ.get("RANK_SIZE") or os.environ.get("MS_WORKER_NUM") or 1)
        return int(os.environ.get("RANK_ID") or os.environ.get("MS_NODE_ID") or 0), size
    return 0, 1


def _new_folder(ranks: int) -> Path:
    parent = Path("msprec_runs").absolute()
    started = _launcher_started() if ranks > 1 else None  # all ranks of a machine have one launcher, hence one name
    folder = parent / time.strftime("run_%Y%m%d_%H%M%S", time.localtime(started))
    if ranks > 1:
        return folder
    number = 1
    while True:
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            number += 1
            folder = parent / f"{folder.name.rsplit('-', 1)[0]}-{number}"
        except OSError:
            return folder  # the writer tells


def _launcher_started() -> Optional[float]:
    """When the parent process began, in seconds since the epoch; ``None`` where the system does not tell."""
    with contextlib.suppress(Exception):
        ticks = int(Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(")", 1)[1].split()[19])
        boot = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime"))
        return int(boot.split()[1]) + ticks / os.sysconf("SC_CLK_TCK")
    return None
