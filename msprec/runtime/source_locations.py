"""Where in the user's own source something happened."""

import os
import sys
import sysconfig
from functools import lru_cache
from typing import Optional

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# in a checkout `msprec.checklists` lies beside the package
_OWN = (_PACKAGE, os.path.join(os.path.dirname(_PACKAGE[:-1]), "checklists", ""))
_STDLIB = tuple(os.path.realpath(sysconfig.get_path(key)) + os.sep for key in ("stdlib", "platstdlib"))
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_start_folder = os.getcwd()
_named_files = set()
#: Files of a notebook's cells, which no disk holds: ``{file: (name of the notebook's text, lines of it before the cell)}``
_cells: dict = {}


def set_start_folder(folder: str) -> None:
    """Places are given relative to this folder when they lie below it."""
    global _start_folder
    _start_folder = os.path.realpath(folder)


def add_user_file(filename: str) -> None:
    """Counts ``filename`` as the user's whatever it is called and wherever it lies: the script that is run."""
    _named_files.add(os.path.realpath(filename))
    is_user_file.cache_clear()


def add_cell(filename: str, name: str, before: int) -> None:
    """Counts code compiled as ``filename`` as the lines of ``name`` that follow its line ``before``: the cell of a notebook."""
    _cells[filename] = (name, before)
    is_user_file.cache_clear()
    short_name.cache_clear()


@lru_cache(maxsize=4096)
def is_user_file(filename: str) -> bool:
    """Whether ``filename`` is neither installed, nor Python's own, nor msprec's."""
    if filename in _cells:
        return True
    path = _real_path(filename)
    if path in _named_files:
        return True
    if filename.startswith("<") or not filename.endswith((".py", ".ipynb", ".pyw")):
        return False
    if is_installed(path) or path.startswith(_STDLIB):
        return False
    return not _is_own(path)


def is_installed(filename: str) -> bool:
    """Whether the file belongs to an installed package."""
    return any(mark in filename for mark in _INSTALLED)


def _is_own(path: str) -> bool:
    return path.startswith(_OWN[0]) or (path.startswith(_OWN[1]) and os.path.isfile(_OWN[1] + "ds/__init__.py"))


def _real_path(filename: str) -> str:
    """As `os.path.realpath`, which asks the system for each folder on the way: here once for all files of a folder."""
    folder, name = os.path.split(filename)
    if not os.path.isabs(folder):  # another one when the script has changed its working directory
        return os.path.realpath(filename)
    path = os.path.join(_real_folder(folder), name)
    return os.path.realpath(path) if os.path.islink(path) else path


@lru_cache(maxsize=4096)
def _real_folder(folder: str) -> str:
    """As `os.path.realpath` of an absolute folder, from that of the folder it lies in."""
    parent, name = os.path.split(folder)
    if name in ("", os.curdir, os.pardir):
        return os.path.realpath(folder)
    path = os.path.join(_real_folder(parent), name)
    return os.path.realpath(path) if os.path.islink(path) else path


@lru_cache(maxsize=4096)
def short_name(filename: str) -> str:
    """The file relative to the run's working directory, with ``/``, or absolute when it lies outside."""
    if filename in _cells:
        return _cells[filename][0]
    path = os.path.realpath(filename)
    if path.startswith(_start_folder + os.sep):
        path = os.path.relpath(path, _start_folder)
    return path.replace(os.sep, "/")


def place_in(filename: str, line: int) -> dict:
    """The line of the file as a place: ``{"file": ..., "line": ...}``."""
    return {"file": short_name(filename), "line": line + _cells[filename][1] if filename in _cells else line}


def user_place(depth: int = 1) -> Optional[dict]:
    """The innermost frame of the user's own code: ``{"file": ..., "line": ...}``, or None."""
    frame = sys._getframe(depth)
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            return place_in(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None


def user_stack(depth: int = 1, limit: int = 12) -> tuple:
    """All frames of the user's code, innermost first, as ``(file, line, instruction)``."""
    frame, stack = sys._getframe(depth), []
    while frame is not None and len(stack) < limit:
        if is_user_file(frame.f_code.co_filename):
            stack.append((*place_in(frame.f_code.co_filename, frame.f_lineno).values(), frame.f_lasti))
        frame = frame.f_back
    return tuple(stack)


def places_of(stack: tuple) -> list:
    """The frames that `user_stack` gives, as places."""
    return [{"file": file, "line": line} for file, line, _ in stack]


def place_of_code(code) -> Optional[dict]:
    """Where a code object was written, when it is the user's."""
    if code is None or not is_user_file(code.co_filename):
        return None
    return place_in(code.co_filename, code.co_firstlineno)


def place_of_class(cls: type) -> Optional[dict]:
    """Where a class's ``construct`` (or else any of its methods) was written, when it is the user's."""
    for name in ("construct", "__init__"):
        function = vars(cls).get(name)
        place = place_of_code(getattr(function, "__code__", None))
        if place:
            return place
    return None


def outside_place(depth: int = 1) -> Optional[dict]:
    """The user's place of a call that MindSpore did not make itself; None for MindSpore's own calls."""
    caller = sys._getframe(depth)
    if str(caller.f_globals.get("__name__", "")).split(".")[0] == "mindspore":
        return None
    return user_place(depth + 1)
