"""The process of one run: started, waited for, and ended together with what it has started."""

import contextlib
import os
import signal
import subprocess
import sys
from typing import Callable, NamedTuple, Optional


class Job(NamedTuple):
    """What a run is to a machine: Python's arguments, the environment, the folder to start in, the file for what is printed,
    and the seconds after which it is ended. All paths are absolute."""

    arguments: list
    environment: dict
    cwd: str
    log: str
    limit: float


class Processes:
    """Runs jobs on this machine."""

    def __init__(self) -> None:
        self._running: set = set()

    def run(self, job: Job) -> Optional[int]:
        """The exit status; None where the job took too long."""
        process = None

        def started(one: subprocess.Popen) -> None:
            nonlocal process
            process = one
            self._running.add(one)

        try:
            return run_job(job, started)
        finally:
            self._running.discard(process)

    def end(self) -> None:
        """Ends what runs."""
        for process in list(self._running):
            kill(process)


def run_job(job: Job, started: Callable = lambda process: None) -> Optional[int]:
    """Runs a job and waits for it: its exit status, None where it took too long. Ended itself, by an exception or a signal
    that raises one, it ends the job."""
    with open(job.log, "wb") as out:
        process = subprocess.Popen(
            [sys.executable, *job.arguments],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=job.environment,
            cwd=job.cwd,
            # a group of its own: Ctrl-C reaches msprec alone, which ends the job and the workers that it has started
            start_new_session=True,
        )
        started(process)
        try:
            return process.wait(job.limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            kill(process)
            process.wait()


def kill(process: subprocess.Popen) -> None:
    """Ends a process and those of its group."""
    if process.poll() is not None:
        return
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


@contextlib.contextmanager
def stopped_by_signals():
    """SIGTERM and SIGHUP raise SystemExit (128 + their number) in the main thread, as Ctrl-C raises KeyboardInterrupt: so what
    runs is ended, and what is done is kept."""

    def stop(number, frame) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # nohup ignores SIGHUP: that is left as it is
    before = {number: signal.getsignal(number) for number in numbers}
    mine = [number for number in numbers if before[number] == signal.SIG_DFL]
    for number in mine:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, before[number])
