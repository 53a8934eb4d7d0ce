"""SIGTERM while a script runs, as a cluster sends it before SIGKILL: what was recorded is written and concluded in a bounded
time, and the process dies of the signal, as bare Python does. A handler that the script installs is its own matter: only that the
signal came is noted. POSIX only."""

import _thread
import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from typing import Callable, Optional

#: Seconds from the signal until the record has to be written, and until the process is over; half of the 30 s that Kubernetes and
#: Slurm leave by default (terminationGracePeriodSeconds, KillWait), and more than a report takes.
RECORD_SECONDS, HASTE_SECONDS, ALL_SECONDS = 4.0, 1.0, 15.0
#: What ends the thread that hears of signals, which have numbers above it; and seconds that it may take to come to it.
_NO_MORE, HEARD_SECONDS = b"\0", 1.0
#: Python's own limit of nested calls.
RECURSION = 1000
#: How the run ended, for ``run.json``.
EXIT = {"kind": "signal", "code": 128 + 15, "signal": "SIGTERM"}

_running: Optional["Termination"] = None
_fork_known = False


class Termination:
    """Looks after SIGTERM while a script runs; a context manager, to be entered in the main thread.

    Args:
        record: Writes the record; called in the main thread, once that runs Python.
        in_haste: Functions that each write a part of the record; called beside the main thread where ``record`` was not over in
            `RECORD_SECONDS`, and waited for so long as `HASTE_SECONDS`.
        conclude: Makes the report in the seconds that it is given.
    """

    def __init__(self, record: Callable[[], object], in_haste: tuple, conclude: Callable[[float], object]) -> None:
        self._record, self._in_haste, self._conclude = record, in_haste, conclude
        self._begun = self._stopped = False
        self._recorded = threading.Event()
        self._wakeup: Optional[tuple] = None
        self._process, self._all_heard = os.getpid(), threading.Event()
        self._signal, self._getsignal = signal.signal, signal.getsignal
        #: Whether SIGTERM has come, whoever handled it
        self.came = False

    def __enter__(self) -> "Termination":
        global _running
        usable = os.name == "posix" and threading.current_thread() is threading.main_thread()
        if usable and self._getsignal(signal.SIGTERM) == signal.SIG_DFL:
            _running = self
            self._system = ctypes.CDLL(None)
            _forget_in_children()
            self._signal(signal.SIGTERM, self._handle)
            signal.signal, signal.getsignal = self._signal_of_script, self._getsignal_of_script
        return self

    def __exit__(self, *error) -> None:
        global _running
        if _running is not self:
            return
        _running = None
        if signal.signal == self._signal_of_script:
            signal.signal = self._signal
        if signal.getsignal == self._getsignal_of_script:
            signal.getsignal = self._getsignal
        self._listen_no_more()
        if self._getsignal(signal.SIGTERM) == self._handle:
            self._signal(signal.SIGTERM, signal.SIG_DFL)

    def listen(self) -> None:
        """From now on the signal is also heard while the main thread computes outside of Python (a step, a compilation). Not
        before MindSpore is there, which has threads of its own: a script without any stays so."""
        if (
            _running is not self
            or self._wakeup is not None
            or threading.current_thread() is not threading.main_thread()
        ):
            return
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        if before != -1:  # an event loop of the script's listens there
            signal.set_wakeup_fd(before)
            os.close(reading)
            os.close(writing)
            return
        self._wakeup = (reading, writing)
        _thread.start_new_thread(self._hear, (reading,))  # not listed among the script's threads

    def _listen_no_more(self) -> None:
        """Waits until what has come is known: a script may end right after its own handler has returned."""
        if self._wakeup is None:
            return
        (_, writing), self._wakeup = self._wakeup, None
        now = signal.set_wakeup_fd(-1)
        if now not in (-1, writing):
            signal.set_wakeup_fd(now, warn_on_full_buffer=False)
        if os.getpid() == self._process:  # a forked child shares the pipe, and has no such thread
            with contextlib.suppress(OSError):
                os.write(writing, _NO_MORE)
                self._all_heard.wait(HEARD_SECONDS)
        os.close(writing)

    def _hear(self, reading: int) -> None:
        with contextlib.suppress(OSError):
            heard = b"_"
            while heard and _NO_MORE not in heard:
                heard = os.read(reading, 64)
                if signal.SIGTERM in heard:
                    self.came = True
                    if self._getsignal(signal.SIGTERM) == self._handle:
                        self._begin()
        os.close(reading)
        self._all_heard.set()

    # what the script sees: the signal as if nobody looked after it

    def _signal_of_script(self, signalnum, handler):
        ours = signalnum == signal.SIGTERM
        before = self._signal(signalnum, self._handle if ours and handler == signal.SIG_DFL else handler)
        return signal.SIG_DFL if ours and before == self._handle else before

    def _getsignal_of_script(self, signalnum):
        found = self._getsignal(signalnum)
        return signal.SIG_DFL if found == self._handle else found

    # the end

    def _handle(self, signalnum, frame) -> None:
        again, self.came, self._stopped = self._stopped, True, True
        if again:
            if self._recorded.is_set():
                self._die()  # a second signal does not wait for the report
            return
        self._begin()
        with contextlib.suppress(BaseException):
            self._record()
        self._recorded.set()
        while True:  # the script goes on no more
            with contextlib.suppress(KeyboardInterrupt):
                time.sleep(1)

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            _thread.start_new_thread(self._end, ())

    def _end(self) -> None:
        until = time.monotonic() + ALL_SECONDS
        try:
            if not self._recorded.wait(RECORD_SECONDS):
                for write in self._in_haste:
                    _at_most(HASTE_SECONDS, write)
            self._conclude(max(1.0, until - time.monotonic()))
        except Exception as error:
            with contextlib.suppress(Exception):
                print(f"msprec: no report: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            self._die()

    def _die(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._signal(signal.SIGTERM, signal.SIG_DFL)
        else:  # Python sets signals in the main thread alone
            self._system.signal(int(signal.SIGTERM), 0)
        os.kill(os.getpid(), signal.SIGTERM)


def _at_most(seconds: float, function: Callable[[], object]) -> None:
    """Waits no longer for the function, which may need what the main thread holds."""
    done = threading.Event()

    def call() -> None:
        with contextlib.suppress(Exception):
            function()
        done.set()

    _thread.start_new_thread(call, ())
    done.wait(seconds)


def _forget_in_children() -> None:
    """A forked child handles signals as one of the bare script does."""
    global _fork_known
    if not _fork_known:
        _fork_known = True
        os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    if _running is not None:
        with contextlib.suppress(Exception):
            _running.__exit__()


@contextlib.contextmanager
def own_time():
    """While msprec is at work after the script: SIGINT and SIGTERM raise KeyboardInterrupt, whatever the script has set,
    unless it ignores them; and calls may be nested as deep as by default."""
    kept, deepest = {}, sys.getrecursionlimit()
    sys.setrecursionlimit(max(RECURSION, deepest))
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            found = signal.getsignal(number)
            if found is not None and found != signal.SIG_IGN:
                kept[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, found in kept.items():
            signal.signal(number, found)
        with contextlib.suppress(RecursionError):
            sys.setrecursionlimit(deepest)
