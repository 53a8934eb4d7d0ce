"""``remedy.patch``: the remedies that helped as a unified diff against the user's files, tried out before it is offered."""

import difflib
import os
from pathlib import Path

from msprec.experiment import effect
from msprec.experiment.case import Case
from msprec.experiment.effect import Score
from msprec.experiment.plan import SEEDS
from msprec.experiment.runner import Runner, Task
from msprec.experiment.source_edit import NoPlace, Project


def offer_patch(case: Case, runner: Runner, remedies: tuple, score: Score) -> dict:
    """Writes ``remedy.patch`` into the run folder where edits are known and do what the hooks did.

    Returns:
        dict: ``file`` (None: nothing is offered), ``ids`` in the patch, ``described`` those without a place, ``why_not``,
        ``apply_in`` the folder to apply it in, ``scores`` and ``losses`` of the patched run.
    """
    (case.run / "remedy.patch").unlink(missing_ok=True)
    editable = tuple(one for one in remedies if one.can_edit())
    found = {
        "file": None,
        "ids": [one.id for one in editable],
        "described": [one.id for one in remedies if one not in editable],
        "why_not": None,
        "apply_in": None,
        "scores": [],
        "losses": [],
    }
    if not editable:
        return {**found, "why_not": "no_place"}
    try:
        text, folder = unified_diff(case, editable)
    except NoPlace:  # two of them meet at one place
        return {**found, "why_not": "no_place"}
    for count in range(1, SEEDS + 1):
        patched, hooked = (
            runner.run([Task(editable, seed, edited) for seed in range(count)]) for edited in (True, False)
        )
        compared = _compared(hooked, patched, editable, score)
        if compared.verdict != "open":
            break
    found.update(zip(("scores", "losses"), map(list, effect.measure(patched, score)[:2])))
    if any(one["status"] != 0 for one in patched):
        return {**found, "why_not": "failed"}
    if compared.verdict == "harms" or (compared.verdict == "open" and compared.gain < 0):
        return {**found, "why_not": "worse"}
    path = case.run / "remedy.patch"
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return {**found, "file": path.name, "apply_in": str(folder)}


def _compared(hooked: list, patched: list, remedies: tuple, score: Score) -> effect.Compared:
    steps = effect.common_steps([hooked, patched])
    sides = [effect.measure(results, score, steps) for results in (hooked, patched)]
    return effect.compare(*sides, score, all(one.same_loss for one in remedies))


def unified_diff(case: Case, remedies: tuple) -> tuple:
    """``(text, folder)``: the patch as ``git apply`` reads it, with paths relative to ``folder``.

    Raises:
        NoPlace: A remedy has no edit.
    """
    project = Project(case)
    for one in remedies:
        one.edit(project)
    changed = project.changed()
    folder = _folder(case, list(changed))
    return "".join(_diff(path.relative_to(folder).as_posix(), *pair) for path, pair in sorted(changed.items())), folder


def _folder(case: Case, paths: list) -> Path:
    """The working directory where it holds all files, else what they have in common."""
    cwd = case.cwd.resolve()
    if all(cwd in path.parents for path in paths):
        return cwd
    return Path(os.path.commonpath([path.parent for path in paths]))


def _diff(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
