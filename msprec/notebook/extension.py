"""What ``%load_ext msprec`` brings: the magics, and the session that they speak to."""

import shlex
from typing import Optional

from IPython.core.error import UsageError

from msprec.cli.common import Failure
from msprec.notebook.session import Session

_CELL = "%%msprec"
_session: Optional[Session] = None


def load(shell) -> None:
    """Begins to record what the notebook does with MindSpore from the next cell on."""
    global _session
    if _session is not None:
        return
    _session = Session(shell)
    shell.input_transformers_cleanup.append(_as_line)
    shell.register_magic_function(_magic, "line", "msprec")
    shell.events.register("post_run_cell", _ran)
    _session.start()


def unload(shell) -> None:
    """Ends the recording."""
    global _session
    if _session is None:
        return
    shell.events.unregister("post_run_cell", _ran)
    shell.input_transformers_cleanup.remove(_as_line)
    _session.stop()
    _session = None


def _as_line(lines: list) -> list:
    """A cell that begins with ``%%msprec`` runs as any other, after a line magic that says so."""
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    if first is None or not (lines[first].rstrip() + " ").startswith(_CELL + " "):
        return lines
    return [*lines[:first], "%msprec --cell" + lines[first][len(_CELL) :], *lines[first + 1 :]]


def _magic(line: str) -> None:
    """Concludes what has trained since the last report, and shows it. Above a cell, as `%%msprec`: that cell is a run of its own.

    Options: `--out DIR` (with `%%msprec`), the run folder; `--lang zh|en`; `--probe-seconds S`, how long probes may take (30);
    `--no-word`, no Word report.
    """
    assert _session is not None
    try:
        options = _options(line)
        if options.pop("cell"):
            _session.begin_cell(**options)
        else:
            _session.report(options["lang"], options["probe_seconds"], options["word"])
    except (Failure, ValueError) as error:
        raise UsageError(str(getattr(error, "message", error))) from None


def _options(line: str) -> dict:
    found = {"cell": False, "out": None, "lang": None, "probe_seconds": 30.0, "word": True}
    words = shlex.split(line)
    while words:
        word = words.pop(0)
        if word in ("--cell", "--no-word"):
            found["cell" if word == "--cell" else "word"] = word == "--cell"
        elif word in ("--out", "--lang", "--probe-seconds") and words:
            found[word[2:].replace("-", "_")] = words.pop(0)
        else:
            raise ValueError(
                f"msprec: no such option, or nothing after it: {word} (--out, --lang, --probe-seconds, --no-word)"
            )
    if found["lang"] not in (None, "zh", "en"):
        raise ValueError(f"msprec: --lang is zh or en, not {found['lang']}")
    found["probe_seconds"] = max(0.0, float(found["probe_seconds"]))
    return found


def _ran(result) -> None:
    if _session is not None:
        _session.cell_ran(result)
