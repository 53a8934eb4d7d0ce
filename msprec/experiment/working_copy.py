"""A copy of the folders that a script lives in, in which it can write what it likes: nothing of it reaches the user's files.

Folders are made anew, small files are copied and large ones linked. A link is turned into a copy at the moment in which the
script opens it for writing; a write to anywhere else of the user's is refused (`keep_inside`, Python's audit events). What
compiled code writes raises no event: new files of its own land in the copy's folders, but a large file that it overwrites in
place, and an absolute path, reach the user's.
"""

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

#: Never part of a copy.
_LEFT_OUT = frozenset((".git", "__pycache__", "msprec_runs"))
#: A file of at most so many bytes is copied, until so many bytes are; others are linked.
_SMALL, _ALL = 4 << 20, 256 << 20
#: A root with more entries than this is linked from there on.
_MOST_ENTRIES = 20000


class WorkingCopy:
    """The copy of ``roots`` below ``home``: ``/a/b`` becomes ``home/a/b``, so that ``../data`` is found as well.

    Args:
        home: A folder that is made.
        roots: The user's folders, absolute and resolved.
        without: Folders that are left out, such as the run folder that holds ``home``.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self, home: Path, roots: tuple, without: tuple = ()) -> None:
        self.home, self._without = home, tuple(map(Path, without))
        self._bytes = self._entries = 0
        for root in roots:
            self._link_ancestors(root, roots)
            self._fill(root, self.inside(root))

    def inside(self, path: Path) -> Path:
        """The copy of a file or folder of the user's."""
        return self.home / path.relative_to(path.anchor)

    def text(self, given: str, roots: tuple) -> str:
        """An argument or a search path with the roots in it replaced by their copies."""
        for root in roots:
            if given == str(root) or str(root) + os.sep in given:
                given = given.replace(str(root), str(self.inside(root)))
        return given

    def write(self, path: Path, text: str) -> None:
        """Gives the copy of a file another text."""
        target = self.inside(path)
        target.unlink(missing_ok=True)
        with open(target, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def _link_ancestors(self, root: Path, roots: tuple) -> None:
        for folder in reversed(root.parents):
            copy = self.inside(folder)
            copy.mkdir(parents=True, exist_ok=True)
            on_the_way = {one for other in roots for one in (other, *other.parents)}
            with contextlib.suppress(OSError):
                for entry in list(os.scandir(folder))[:_MOST_ENTRIES]:
                    link = copy / entry.name
                    if Path(entry.path) not in on_the_way and not os.path.lexists(link):
                        link.symlink_to(entry.path)

    def _fill(self, folder: Path, copy: Path) -> None:
        copy.mkdir(parents=True, exist_ok=True)
        for entry in os.scandir(folder):
            path, target = Path(entry.path), copy / entry.name
            if entry.name in _LEFT_OUT or path in self._without or path == self.home or os.path.lexists(target):
                continue
            self._entries += 1
            if entry.is_dir(follow_symlinks=False) and self._entries <= _MOST_ENTRIES and not _is_environment(path):
                self._fill(path, target)
            elif entry.is_file(follow_symlinks=False) and self._may_copy(entry):
                shutil.copy2(path, target)
            else:
                target.symlink_to(path)

    def _may_copy(self, entry) -> bool:
        size = entry.stat(follow_symlinks=False).st_size
        fits = self._entries <= _MOST_ENTRIES and size <= _SMALL and self._bytes + size <= _ALL
        self._bytes += size if fits else 0
        return fits


def _is_environment(folder: Path) -> bool:
    """Whether a folder is a virtual environment, which is linked as it is."""
    return (folder / "pyvenv.cfg").is_file()


def keep_inside(home: str, roots: list, others: list) -> None:
    """Refuses from now on, in this process and those that it forks, every write by Python code outside ``home``, ``others``,
    the system's folder for temporary files and the caches of the user's home directory; ``roots`` are refused wherever they
    lie.

    Raises:
        PermissionError: In the script, at such a write.
    """
    guard = _Guard(home, roots, others)
    sys.addaudithook(guard)


class _Guard:
    def __init__(self, home: str, roots: list, others: list) -> None:
        self._home = os.path.realpath(home)
        self._roots = [os.path.realpath(root) for root in roots]
        caches = [os.path.join(os.path.expanduser("~"), name) for name in (".cache", ".config", ".mindspore", ".local")]
        self._allowed = [self._home, *map(os.path.realpath, (*others, "/dev", "/proc", *caches))]
        self._temporary = os.path.realpath(tempfile.gettempdir()), "/tmp", "/var/tmp"
        self._busy = False

    def __call__(self, event: str, args: tuple) -> None:
        targets = _TARGETS.get(event)
        if targets is None or self._busy:
            return
        self._busy = True
        try:
            for path, follows in targets(args):
                self._check(path, follows)
        finally:
            self._busy = False

    def _check(self, path: str, follows: bool) -> None:
        path = os.path.abspath(path)
        if _within(path, self._home):
            self._own(path, follows)
        real = (
            os.path.realpath(path)
            if follows
            else os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        )
        if any(_within(real, folder) for folder in self._allowed):
            return
        if any(_within(real, folder) for folder in self._temporary) and not any(_within(real, r) for r in self._roots):
            return
        raise PermissionError(f"msprec remedy lets the script write into its copy only, not to {real}")

    def _own(self, path: str, follows: bool) -> None:
        """Turns the links on the way to ``path`` into folders, and at its end into a copy."""
        parts = os.path.relpath(path, self._home).split(os.sep)
        here = self._home
        for number, part in enumerate(parts):
            here, last = os.path.join(here, part), number == len(parts) - 1
            if not os.path.islink(here) or (last and not follows):
                continue
            target = os.path.realpath(here)
            if _within(target, self._home):
                continue
            if os.path.isdir(target):
                os.unlink(here)
                os.mkdir(here)
                for entry in os.listdir(target):
                    os.symlink(os.path.join(target, entry), os.path.join(here, entry))
            elif os.path.isfile(target):
                os.unlink(here)
                shutil.copy2(target, here)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _named(path, at=-1):
    """A path as the operating system is given it; None for a file that is open already."""
    if isinstance(path, int) or path is None:
        return None
    path = os.fsdecode(path)
    if isinstance(at, int) and at >= 0 and not os.path.isabs(path):
        return os.path.join(os.path.realpath(f"/proc/self/fd/{at}"), path)
    return path


def _opened(args: tuple) -> list:
    path, mode, flags = args[0], args[1], args[2]
    writes = any(mark in mode for mark in "wax+") if isinstance(mode, str) else False
    if not writes and isinstance(flags, int):
        writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
    path = _named(path) if writes else None
    return [] if path is None else [(path, True)]


def _one(follows: bool, at: int):
    def targets(args: tuple) -> list:
        path = _named(args[0], args[at] if at < len(args) else -1)
        return [] if path is None else [(path, follows)]

    return targets


def _two(args: tuple) -> list:
    paths = _named(args[0], args[2] if len(args) > 2 else -1), _named(args[1], args[3] if len(args) > 3 else -1)
    return [(path, False) for path in paths if path is not None]


def _second(args: tuple) -> list:
    path = _named(args[1])
    return [] if path is None else [(path, False)]


_TARGETS = {
    "open": _opened,
    "os.remove": _one(False, 1),
    "os.rmdir": _one(False, 1),
    "os.mkdir": _one(False, 2),
    "os.chmod": _one(True, 2),
    "os.chown": _one(True, 3),
    "os.truncate": _one(True, 9),
    "os.utime": _one(True, 3),
    "os.rename": _two,
    "os.link": _second,
    "os.symlink": _second,
    "sqlite3.connect": lambda args: [(os.fspath(args[0]), True)] if str(args[0]) not in (":memory:", "") else [],
}
