"""The end of `msprec run` where there is no time: the report within seconds, or how to have it later."""

import contextlib
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Callable, NoReturn, Optional

from msprec.cli.common import language
from msprec.cli.run_folder import say_safely

#: Seconds for the report where a handler of the script's has answered SIGTERM: Kubernetes and Slurm leave 30 s in all by default.
REPORT_SECONDS = 15.0
#: Seconds that rank 0 waits for others that end with it, and these for it (more than `Termination` takes to write the record
#: where the main thread waits for another rank); and how long probes and a report may take that no signal hurries.
OTHERS_SECONDS, FIRST_SECONDS, FINISH_SECONDS = 3.0, 8.0, 60.0
#: Seconds from a report that is written until it is told and its process is over.
SAID_SECONDS = 2.0


def end_as_python(error: SyntaxError) -> NoReturn:
    """Shows an error of the script's syntax as Python does, and ends with Python's status."""
    say_safely("".join(traceback.format_exception_only(SyntaxError, error)).rstrip("\n"))
    sys.exit(1)


def checklist_command(folder: Path, lang: Optional[str], look: Optional[dict]) -> list:
    """The command that concludes a run folder into itself; ``lang`` and ``look`` as for `Ending`."""
    command = [sys.executable, "-m", "msprec", "checklist", "--run", str(folder)]
    command += ["--lang", lang] if lang else []
    command += ["--json", str(folder / "checklist.json")]
    if look is None:
        return command
    command += ["--out", str(folder / "checklist.docx"), "--paper", "letter" if look["letter"] else "a4"]
    return command + (["--full"] if look["full"] else [])


def late_ranks(folder: Path, seconds: float) -> list:
    """The ranks other than 0 that write into ``folder`` and have not ended ``seconds`` from now."""
    from msprec.record.reader import RunFolder

    until = time.monotonic() + seconds
    while True:
        read = RunFolder(folder)
        late = [rank for rank in read.ranks() if rank and not read.run_of(rank).get("ended")]
        if not late or time.monotonic() > until:
            return late
        time.sleep(0.2)


class Ending:
    """Makes the report of a run folder in a process of its own, which no state of this one can hold up.

    Args:
        folder: The run folder; None: nothing is recorded.
        lang: Language of the report; None: the locale's.
        look: How the Word report is made (``full``, ``letter``); None: without it.
        keep_beside: Writes into the folder what the report draws on besides the run.
    """

    def __init__(
        self, folder: Optional[Path], lang: Optional[str], look: Optional[dict], keep_beside: Callable[[], object]
    ) -> None:
        self._folder, self._lang, self._look, self._keep_beside = folder, lang, look, keep_beside
        self._environment = dict(os.environ)  # as it was before the script

    def of_signal(self, seconds: float) -> None:
        """SIGTERM ends the script."""
        self._report("the script was ended by SIGTERM", seconds)

    def of_handled_signal(self) -> None:
        """The script has ended after a SIGTERM that it handled."""
        self._report("the script was sent SIGTERM and has ended", REPORT_SECONDS)

    def of_other_rank(self, seconds: float = FINISH_SECONDS) -> None:
        """A rank other than 0 is about to end with a failure, upon which `msrun` kills the others at once: where rank 0 ends as
        well, it is given the time for its report."""
        began, ended = time.time(), False
        while not self._is_reported(began):
            ended = ended or self._first_has_ended()
            if time.time() >= began + (seconds if ended else min(seconds, FIRST_SECONDS)):
                return
            time.sleep(0.1)
        time.sleep(SAID_SECONDS)

    def _first_has_ended(self) -> bool:
        from msprec.record.reader import RunFolder

        return bool(RunFolder(self._folder).run_of(0).get("ended"))

    def _is_reported(self, since: float) -> bool:
        with contextlib.suppress(OSError):
            return self._report_file().stat().st_mtime >= since - FIRST_SECONDS
        return False

    def _report_file(self) -> Path:
        return self._folder / ("checklist.docx" if self._look else "checklist.json")

    def of_interrupt(self) -> None:
        """Somebody does not want to wait for the report."""
        say_safely(f"msprec: interrupted, no report is written; {self._later()}")

    def of_failure(self, error: Exception) -> None:
        """The script has ended, and this process cannot make the report: it may have replaced functions or hold modules of the
        script's, of the same name as installed ones."""
        told = self._concluded(REPORT_SECONDS)
        if told is None:
            say_safely(f"msprec: no report: {type(error).__name__}: {error} (run folder: {self._folder})")
        else:
            say_safely(told)

    def _report(self, what: str, seconds: float) -> None:
        with contextlib.suppress(OSError):
            self._keep_beside()
        began = time.monotonic()
        late_ranks(self._folder, OTHERS_SECONDS)
        told = self._concluded(max(1.0, seconds - (time.monotonic() - began)))
        if told is None:
            say_safely(f"msprec: {what}; the report was not ready within {seconds:.0f} s: {self._later()}")
            return
        say_safely(told)
        say_safely(f"msprec: {what}; concluded from the record so far, without probes: {self._report_file()}")

    def _concluded(self, seconds: float) -> Optional[str]:
        """What the command prints that makes the report; None where it has not made it in time."""
        lang = self._lang
        with contextlib.suppress(Exception):  # the script may have left nothing to import it from
            lang = language(self._lang)
        try:
            done = subprocess.run(
                checklist_command(self._folder, lang, self._look),
                cwd=self._folder,  # where no module of the user's lies
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                text=True,
                encoding="utf-8",
                errors="replace",
                check=True,
            )
        except Exception:
            return None
        return done.stdout.rstrip("\n")

    def _later(self) -> str:
        return f"msprec checklist --run {self._folder} --out checklist.docx"
