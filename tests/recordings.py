"""The recorded run folders of the cases: `recorded/<item>.tar.xz`, each with a folder a case, and what they were made with.

`python tests/recordings.py` records the cases whose recording is missing or stale, ``--all`` every one, and words choose by name
(``cg.04`` or ``cg.04/problem_softmax_twice``). A recording is stale when its case or the code that records has changed, of which
that of the probes counts for the cases that are probed.
"""

import argparse
import ast
import hashlib
import io
import itertools
import json
import os
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDED = Path(__file__).parent / "recorded"
MADE_WITH = RECORDED / "made_with.json"
#: The packages that decide what a run folder holds.
RECORDERS = ("runtime", "record", "callbacks", "observe", "locate")
PROBES = ("probe", "range_test")
_NOT_KEPT = ("checklist.json", "checklist.docx")


def _digest(texts: dict) -> str:
    """Of ``{name: lines}``: empty lines and comments do not count."""
    digest = hashlib.sha256()
    for name, lines in sorted(texts.items()):
        digest.update(name.encode())
        whole = (line.rstrip() for line in lines)
        digest.update("\n".join(line for line in whole if line and not line.lstrip().startswith("#")).encode())
    return digest.hexdigest()[:16]


def _lines(file: Path) -> list:
    return file.read_text(encoding="utf-8", errors="replace").splitlines()


def _without_docstrings(file: Path) -> list:
    lines = _lines(file)
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            first, last = node.body[0].lineno, node.body[0].end_lineno
            lines[first - 1 : last] = [""] * (last - first + 1)
    return lines


@cache
def recorders(probed: bool) -> dict[str, str]:
    """A digest for each package that records, with those of the probes or without."""
    packages = (*RECORDERS, *PROBES) if probed else RECORDERS
    files = {name: [p for p in (ROOT / "msprec" / name).rglob("*.py") if not _describes(p)] for name in packages}
    return {
        name: _digest({p.relative_to(ROOT).as_posix(): _without_docstrings(p) for p in found})
        for name, found in files.items()
    }


def _describes(file: Path) -> bool:
    """Whether a file only describes what is written: the schema."""
    return "schema" in file.parent.name or file.name == "write_schema.py"


def of_case(case) -> str:
    """A digest of the files of a case that its run reads."""
    files = [
        p for p in case.folder.rglob("*") if p.is_file() and p.name != "expect.json" and "__pycache__" not in p.parts
    ]
    return _digest({p.relative_to(case.folder).as_posix(): _lines(p) for p in files})


def made_with() -> dict:
    return json.loads(MADE_WITH.read_text(encoding="utf-8")) if MADE_WITH.is_file() else {}


def stale(case, made: dict) -> bool:
    """Whether the recording of a case is missing or was made by other code than there is now."""
    return made.get(case.name) != {"case": of_case(case), **recorders(case.probed)}


def unpack(item: str, folder: Path) -> Path:
    """The recordings of an item's cases, below ``folder``."""
    with tarfile.open(RECORDED / f"{item}.tar.xz") as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)
    return folder


def _pack(item: str, folder: Path) -> None:
    """Members in order and without times, so that the same recordings make the same archive."""
    RECORDED.mkdir(exist_ok=True)
    with tarfile.open(RECORDED / f"{item}.tar.xz", "w:xz") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = tarfile.TarInfo(file.relative_to(folder).as_posix())
            data = file.read_bytes()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def _record(case, folder: Path) -> str:
    """Runs a case and keeps its run folder as ``folder/<case>``; what went wrong, or nothing."""
    from case_runs import run_case
    from run_scripts import Scripts

    with tempfile.TemporaryDirectory(prefix="case_") as home:
        project = Path(home) / "project"
        project.mkdir()
        scripts = Scripts(project)
        scripts.run_folder = folder / case.folder.name
        ran = run_case(case, scripts)
    for name in _NOT_KEPT:
        (scripts.run_folder / name).unlink(missing_ok=True)
    expected = case.expected.get("exit", 0)
    return "" if ran.status == expected else f"exit status {ran.status}, not {expected}: {ran.err[-500:]}"


def record(chosen: list, jobs: int = 2) -> list[str]:
    """Records the cases, item by item; gives the names of those that did not end as expected."""
    import shutil

    from run_scripts import on_one_core

    failed, numbers = [], itertools.count()
    for item in sorted({case.item for case in chosen}):
        with tempfile.TemporaryDirectory(prefix="recorded_") as home:
            folder, group = Path(home), [case for case in chosen if case.item == item]
            if (RECORDED / f"{item}.tar.xz").is_file():
                unpack(item, folder)
            known = {case.folder.name for case in _cases() if case.item == item}
            for old in folder.iterdir():
                if old.name not in known or old.name in {case.folder.name for case in group}:
                    shutil.rmtree(old)
            with ThreadPoolExecutor(jobs, initializer=lambda: on_one_core(next(numbers))) as pool:
                for case, wrong in zip(group, pool.map(partial(_record, folder=folder), group)):
                    print(f"{case.name} {wrong or 'recorded'}", flush=True)
                    failed += [case.name] if wrong else []
            _pack(item, folder)
        made = {name: entry for name, entry in made_with().items() if name in {case.name for case in _cases()}}
        made.update({case.name: {"case": of_case(case), **recorders(case.probed)} for case in group})
        MADE_WITH.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return failed


def _cases() -> list:
    from case_runs import cases

    return cases()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="items or cases; default: all")
    parser.add_argument("--all", action="store_true", help="those too whose recording is up to date")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at the same time")
    options = parser.parse_args()
    chosen = [case for case in _cases() if not options.names or {case.item, case.name} & set(options.names)]
    if not options.all:
        made = made_with()
        chosen = [case for case in chosen if stale(case, made)]
    failed = record(chosen, options.jobs)
    if failed:
        raise SystemExit(f"{len(failed)} did not end as expected: {', '.join(failed)}")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    os.environ.setdefault("MS_DEV_LAUNCH_BLOCKING", "1")  # half the time; see conftest.py
    main()
