"""The end of `msprec run` where there is no time: the report within seconds, or how to have it later."""

import contextlib
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Callable, NoReturn, Optional

from msprec.cli.common import language
from msprec.cli.run_folder import say_safely

#: Seconds for the report where a handler of the script's has answered SIGTERM: Kubernetes and Slurm leave 30 s in all by default.
REPORT_SECONDS = 15.0


def end_as_python(error: SyntaxError) -> NoReturn:
    """Shows an error of the script's syntax as Python does, and ends with Python's status."""
    say_safely("".join(traceback.format_exception_only(SyntaxError, error)).rstrip("\n"))
    sys.exit(1)


def checklist_command(folder: Path, lang: str, look: Optional[dict]) -> list:
    """The command that concludes a run folder into itself; ``look`` as for `Ending`."""
    command = [sys.executable, "-m", "msprec", "checklist", "--run", str(folder), "--lang", lang]
    command += ["--json", str(folder / "checklist.json")]
    if look is None:
        return command
    command += ["--out", str(folder / "checklist.docx"), "--paper", "letter" if look["letter"] else "a4"]
    return command + (["--full"] if look["full"] else [])


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

    def of_interrupt(self) -> None:
        """Somebody does not want to wait for the report."""
        say_safely(f"msprec: interrupted, no report is written; {self._later()}")

    def _report(self, what: str, seconds: float) -> None:
        with contextlib.suppress(OSError):
            self._keep_beside()
        report = self._folder / ("checklist.docx" if self._look else "checklist.json")
        try:
            done = subprocess.run(
                checklist_command(self._folder, language(self._lang), self._look),
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
        except (OSError, subprocess.SubprocessError):
            say_safely(f"msprec: {what}; the report was not ready within {seconds:.0f} s: {self._later()}")
            return
        say_safely(done.stdout.rstrip("\n"))
        say_safely(f"msprec: {what}; concluded from the record so far, without probes: {report}")

    def _later(self) -> str:
        return f"msprec checklist --run {self._folder} --out checklist.docx"
