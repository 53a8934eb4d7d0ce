"""The report of a run, shown below a cell."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from msprec.cli.ending import checklist_command

#: Seconds; a report takes a few.
_LONGEST = 120


def show_report(folder: Path, lang: str, word: bool) -> None:
    """Concludes the run folder in a process of its own (nothing it imports or sets is left in the kernel), and shows problems and
    links to the reports: as Markdown in a notebook, as the usual table in a terminal."""
    from IPython.display import display

    look = {"full": False, "letter": False} if word else None
    page = folder / "checklist.html"
    with tempfile.TemporaryDirectory() as scratch:
        markdown = Path(scratch) / "checklist.md"
        command = [*checklist_command(folder, lang, look), "--html", str(page), "--markdown", str(markdown)]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, timeout=_LONGEST, text=True, encoding="utf-8", check=True
            )
            text = markdown.read_text(encoding="utf-8")
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", None) or str(error)).strip()
            print(f"msprec: no report: {said} (run folder: {folder})", file=sys.stderr)
            return
    reports = [page, *([folder / "checklist.docx"] if word else [])]
    links = " · ".join(f"[{_relative(report)}]({_relative(report)})" for report in reports)
    display({"text/markdown": f"{text}\n\n{links}\n", "text/plain": done.stdout}, raw=True)


def _relative(path: Path) -> str:
    return os.path.relpath(path).replace(os.sep, "/")
