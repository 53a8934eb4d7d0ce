"""Which files there are to read, and their text; what cannot be read is passed over with its reason."""

import ast
import io
import os
import re
import tokenize
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Optional, Union
from weakref import WeakValueDictionary

from msprec.source.names import words

#: Bytes beyond which a file is taken for data or generated code.
LARGEST = 2_000_000
#: Files read of one folder; a home directory given by mistake must not take hours.
MOST_FILES = 20_000

_SKIPPED_FOLDERS = words(
    """
    __pycache__ site-packages dist-packages node_modules build dist msprec_runs kernel_meta rank_0 venv env
    """
)
_DATA = (".yaml", ".yml")
_PYTHON_2 = re.compile(
    r"^\s*(print\s+[\"'\w]|exec\s+[\"'\w]|except\s+[\w.]+\s*,\s*\w+\s*:|raise\s+\w+\s*,)", re.MULTILINE
)


class File(NamedTuple):
    """One file to read: its name as places show it, where it lies (None: only the text is at hand), and its text."""

    name: str
    path: Optional[str]
    text: str


class Passed(NamedTuple):
    """A file that was passed over, and why: missing, unreadable, large, notebook, syntax, python2, deep, many."""

    name: str
    why: str
    detail: str = ""


def collect(paths: Iterable[Union[str, Path]], base: Optional[Path] = None) -> tuple:
    """(files, passed) of scripts and folders; names are relative to ``base`` (the working directory) where they lie below it.

    YAML files of a folder come along, for the constants that scripts read from them. Links to folders are not followed.
    """
    base = Path(base or os.getcwd()).resolve()
    files, passed, seen = [], [], set()
    for path in _walk([Path(path) for path in paths], passed):
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        if len(seen) > MOST_FILES:
            passed.append(Passed(str(path), "many", str(MOST_FILES)))
            break
        _read(path, _shown(path, base), files, passed)
    return files, passed


def _walk(paths: list, passed: list):
    for path in paths:
        if path.is_dir():
            yield from _folder(path)
        elif path.is_file():
            yield path
        else:
            passed.append(Passed(str(path), "missing"))


def _folder(root: Path):
    for folder, inner, names in os.walk(root, onerror=lambda error: None):
        inner[:] = sorted(
            name
            for name in inner
            if name not in _SKIPPED_FOLDERS
            and not name.startswith(".")
            and not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
        )
        for name in sorted(names):
            if name.endswith((".py", ".ipynb", *_DATA)) and not name.startswith("."):
                yield Path(folder) / name


def _shown(path: Path, base: Path) -> str:
    full = Path(os.path.abspath(path))
    try:
        return full.relative_to(base).as_posix()
    except ValueError:
        return full.as_posix()


def _read(path: Path, name: str, files: list, passed: list) -> None:
    try:
        if path.suffix == ".ipynb":
            passed.append(Passed(name, "notebook"))
        elif not path.is_file():
            passed.append(Passed(name, "unreadable", "not a regular file"))
        elif path.stat().st_size > LARGEST:
            passed.append(Passed(name, "large", str(path.stat().st_size)))
        else:
            files.append(File(name, str(path.resolve()), decode(path.read_bytes())))
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError, ValueError) as error:
        passed.append(Passed(name, "unreadable", f"{type(error).__name__}: {error}".splitlines()[0]))


def decode(data: bytes) -> str:
    """The text in the encoding that the file declares. Raises SyntaxError, UnicodeDecodeError or LookupError."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


#: Trees that are still in use: a project and the questions about its lines share them.
_TREES = WeakValueDictionary()


def parse(name: str, text: str) -> Union[ast.Module, Passed]:
    """The syntax tree, or why there is none."""
    known = _TREES.get((name, text))
    if known is not None:
        return known
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _TREES[name, text] = ast.parse(text)
            return tree
    except (RecursionError, MemoryError):
        return Passed(name, "deep")
    except (SyntaxError, ValueError) as error:
        if _PYTHON_2.search(text):
            return Passed(name, "python2")
        line = getattr(error, "lineno", None)
        return Passed(name, "syntax", f"line {line}: {getattr(error, 'msg', error)}" if line else str(error))
