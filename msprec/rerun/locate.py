"""Locating once more, from what a run has kept of its bad step: the work of ``msprec locate``."""

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Callable, Optional

_ONE_WORKER = (
    "the run was distributed: try `msrun --worker_num=1 --local_worker_num=1 --join=True python -m msprec locate RUN`"
)


class CannotLocate(Exception):
    """Why, in one line."""


def locate_again(run: Path, say: Callable) -> dict:
    """Runs the run's script up to the first step that fits the kept one and replays that.

    Args:
        run: The run folder, absolute.
        say: Called with lines for the user.

    Returns:
        dict: the event ``located``, with ``step``.

    Raises:
        CannotLocate: There is nothing kept, it cannot be read, or the script ends without a step that fits.
    """
    facts = _read(run / "run.json", f"{run} is no run folder")
    folder = min(run.glob("rank_*/nonfinite"), key=_kept_step, default=None)
    if folder is None:
        raise CannotLocate(f"{run} has kept no bad step: no loss, gradient or weight was found to be not finite")
    script, cwd = Path(facts.get("script") or ""), Path(facts.get("cwd") or ".")
    script = script if script.is_absolute() else cwd / script
    if not script.is_file() or not cwd.is_dir():
        raise CannotLocate(f"the script is no longer there: {script}")
    _say_if_changed(run, facts, script, say)
    os.chdir(cwd)
    try:
        return _replayed(script, facts.get("command", [])[2:], folder, say, facts.get("module"))
    except CannotLocate as error:
        alone = "MS_ROLE" not in os.environ and (facts.get("rank_size") or 1) > 1
        raise CannotLocate(f"{error}; {_ONE_WORKER}" if alone else str(error)) from None


def _replayed(script: Path, args: list, folder: Path, say: Callable, module: Optional[str] = None) -> dict:
    capsule = _capsule(folder)
    from msprec.observe import launch
    from msprec.observe.observer import Options

    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(sys.stderr):
        say(f"running {script.name} up to its first step, to replay step {capsule.step}")
        outcome = launch.run_script(
            str(script), list(args), Path(scratch) / "run", Options(again=capsule, module=module)
        )
    found = outcome.facts.get("located")
    if found is None:
        raise CannotLocate(f"{script.name} ended ({outcome.facts.get('kind')}) without a step that fits the kept one")
    return {"event": "located", "step": capsule.step, **found}


def _kept_step(folder: Path) -> tuple:
    """Orders what several ranks have kept: the first bad step, there the lowest rank."""
    try:
        step = int(json.loads((folder / "state.json").read_text(encoding="utf-8"))["step"])
    except (OSError, ValueError, KeyError, TypeError):
        step = sys.maxsize
    return step, len(folder.parent.name), folder.parent.name


def _capsule(folder: Path):
    from msprec.locate.saved_step import Capsule

    try:
        return Capsule(folder)
    except (OSError, ValueError, KeyError) as error:
        raise CannotLocate(f"the kept step cannot be read: {error}") from None


def _read(path: Path, otherwise: str) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise CannotLocate(otherwise) from None


def _say_if_changed(run: Path, facts: dict, script: Path, say: Callable) -> None:
    kept = (facts.get("source_files") or {}).get(_short(script, facts))
    with contextlib.suppress(OSError):
        if kept and (run / kept).read_bytes() != script.read_bytes():
            say(f"{script.name} has changed since that run; the copy of then is {run / kept}")


def _short(script: Path, facts: dict) -> str:
    try:
        return script.relative_to(facts.get("cwd") or ".").as_posix()
    except ValueError:
        return script.as_posix()


def as_json(found: dict) -> str:
    """What was found, for a file; numbers that are not finite as strings."""
    from msprec.record.writer import plain

    return json.dumps(plain(found), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def format_text(found: dict, lang: str) -> str:
    """One sentence, the usual remedy, and the lines of the source."""
    from msprec.checklists.common.nonfinite_origin import remedy, sentence
    from msprec.engine.schema import Fact
    from msprec.record.schema import EVENT

    fact = Fact(found, EVENT)
    if not fact.phase:
        return found.get("why_not") or {"zh": "重放的这一步是有限的。", "en": "The replayed step is finite."}[lang]
    lines = [sentence(fact).render(lang)]
    advice = remedy(fact)
    if advice is not None:
        lines.append(advice.render(lang))
    place = found.get("place")
    if place:
        lines += _lines_around(Path(place["file"]), place["line"])
    return "\n".join(lines)


def _lines_around(file: Path, line: int, around: int = 2) -> list:
    try:
        text = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    first = max(1, line - around)
    shown = text[first - 1 : line + around]
    return ["", *(f"{'>' if n == line else ' '} {n:5d}  {code}" for n, code in enumerate(shown, first))]
