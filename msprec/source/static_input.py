"""Scripts that were read, not run: what is known without a run folder."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Optional

from msprec.record.reader import Steps
from msprec.source.files import File, Passed, collect, parse


class NoScripts(Exception):
    """There is nothing to read; the message is one line for the user."""


class Scripts:
    """Files read from the disk, in the place of a run folder (`msprec.record.reader.Records`): source texts and no facts."""

    path = None

    def __init__(self, files: list, passed: list, entries: Iterable[str]):
        self.files, self.passed, self.entries = files, passed, list(entries)
        self.run, self.damaged = {}, []
        self._texts = {file.name: file.text for file in files}

    def add(self, file: File) -> None:
        """A further file that the scripts import."""
        self._texts.setdefault(file.name, file.text)

    def ranks(self) -> list:
        return [0]

    def facts(self, name: str, rank: int = 0) -> dict:
        return {}

    def has_facts(self, name: str, rank: int = 0) -> bool:
        return False

    def run_of(self, rank: int) -> dict:
        return {}

    def steps(self, rank: int = 0) -> Steps:
        return Steps()

    def events(self, rank: int = 0) -> list:
        return []

    def gradients(self, rank: int = 0) -> list:
        return []

    def source_names(self) -> list:
        return sorted(name for name in self._texts if name.endswith(".py"))

    def source(self, name: str) -> Optional[str]:
        return self._texts.get(name)


def read_scripts(paths: Iterable) -> Scripts:
    """The scripts and folders that the user named. Raises NoScripts where none of them can be read."""
    paths = [Path(path) for path in paths]
    for path in paths:
        if not path.exists():
            raise NoScripts(f"no such script or folder: {path}")
    files, passed = collect(paths)
    given = {str(path.resolve()) for path in paths if path.is_file()}
    entries = [file.name for file in files if file.path in given]
    if not any(_is_python(file.name) for file in files):
        named = ", ".join(str(path) for path in paths)
        why = f" ({passed[0].name}: {passed[0].why})" if passed else ""
        raise NoScripts(f"no Python file to read in {named}{why}")
    return Scripts(files, passed, entries)


def _is_python(name: str) -> bool:
    return name.endswith(".py") or "." not in name.rsplit("/", 1)[-1]


def read_reference(path) -> Scripts:
    """The reference script with the modules beside it that it imports. Raises NoScripts where it cannot be read."""
    if Path(path).is_dir():
        raise NoScripts(f"the reference is a script, not a folder: {path}")
    return read_scripts([path])


def keep_reference(reference: Scripts, run_dir: Path) -> None:
    """Copies the reference into RUN/reference, so that the folder concludes the same way elsewhere. Raises OSError."""
    from msprec.source.project import Project

    project = Project(reference.files, reference.passed)
    home = run_dir / "reference"
    for module in project.modules.values():
        target = home / inside(module.file)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(project.text_of(module.file), encoding="utf-8")
    (home / "script.txt").write_text(inside(reference.entries[0]), encoding="utf-8")


def kept_reference(run_dir: Path) -> Optional[Scripts]:
    """The reference that `keep_reference` left in a run folder, or None."""
    home = Path(run_dir) / "reference"
    try:
        script = (home / "script.txt").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    files, passed = collect([home], base=home)
    return Scripts(files, passed, [script]) if any(file.name == script for file in files) else None


def with_modules(scripts: Scripts) -> Scripts:
    """The scripts with the modules beside them that they import."""
    from msprec.source.project import Project

    project = Project(scripts.files, list(scripts.passed))
    known = {file.name for file in scripts.files}
    more = [File(m.file, m.path, project.text_of(m.file)) for m in project.modules.values() if m.file not in known]
    return Scripts([*scripts.files, *more], scripts.passed, scripts.entries)


def unreadable(scripts: Scripts) -> list:
    """Why scripts that were named cannot be read, as `Passed`s."""
    found = [parse(file.name, file.text) for file in scripts.files if file.name in scripts.entries]
    return [entry for entry in found if isinstance(entry, Passed)]


def keep_also(scripts: Scripts, run_dir: Path) -> None:
    """Copies further scripts of the project, with their modules, into RUN/also (``--also``). Raises OSError."""
    home = Path(run_dir) / "also"
    named = {file.name: inside(file.name) for file in scripts.files}
    for file in scripts.files:
        target = home / named[file.name]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text, encoding="utf-8")
    listed = {"scripts": [named[name] for name in scripts.entries if name in named], "files": sorted(named.values())}
    (home / "scripts.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")


def kept_also(run_dir: Path) -> Optional[Scripts]:
    """The scripts that `keep_also` left in a run folder, or None."""
    home = Path(run_dir) / "also"
    try:
        listed = json.loads((home / "scripts.json").read_text(encoding="utf-8"))
        names = [str(name) for name in listed["files"]]
        entries = [str(name) for name in listed["scripts"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    names = [name for name in names if name == inside(name) and (home / name).is_file()]
    files, passed = collect([home / name for name in names], base=home)
    known = {file.name for file in files}
    entries = [name for name in entries if name in known]
    return Scripts(files, passed, entries) if entries else None


def together(one: Optional[Scripts], other: Optional[Scripts]) -> Optional[Scripts]:
    """Both; of files of one name the first's count."""
    if one is None or other is None:
        return one or other
    known = {file.name for file in one.files}
    files = [*one.files, *(file for file in other.files if file.name not in known)]
    return Scripts(files, [*one.passed, *other.passed], dict.fromkeys([*one.entries, *other.entries]))


def inside(name: str) -> str:
    """A file's name as a path below a folder."""
    return name.replace("\\", "/").lstrip("/").replace(":", "").replace("..", "_")
