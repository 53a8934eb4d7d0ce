"""Dumped tensors, whatever wrote them: who made which tensor, when, and where its values are."""

import os
import re
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from msprec.compare.arrays import Array, open_npy
from msprec.compare.errors import CannotRead
from msprec.compare.tensor_statistics import One

_MOST_FILES = 2_000_000


class DumpedTensor(NamedTuple):
    """A tensor of a dump.

    Attributes:
        name: How to show it.
        op: The cell, module, operator or function that it belongs to.
        kind: Its class or type, as far as known.
        phase: "forward" or "backward".
        io: "input", "output", "parameter", "gradient" (of a parameter), "state" (a statistic after the call).
        slot: Which of them.
        call: How many times the op had run in the step before.
        step: The step's number.
        order: When it came, to sort by.
        open: Opens the array; None: only statistics are there. Raises `CannotRead`.
        one: The statistics, where only they are there.
        shape, dtype: Of statistics; of an array, ask it.
    """

    name: str
    op: str
    kind: str
    phase: str
    io: str
    slot: str
    call: int
    step: int
    order: tuple
    open: Optional[Callable]
    one: Optional[One] = None
    shape: Optional[tuple] = None
    dtype: str = ""


class Dump(NamedTuple):
    """``layout``: "msprec", "msprobe", "ptdbg", "mindspore" or "files"; ``items`` in their order; ``notes``:
    what was left out."""

    path: Path
    layout: str
    items: list
    notes: tuple = ()


def files_below(path: Path, *suffixes: str) -> list:
    """The files below a folder whose names end so, in the order of their names; links to folders are not followed.

    Raises:
        CannotRead: There are too many.
    """
    found = []
    for home, folders, names in os.walk(path):
        folders.sort()
        found += [Path(home, name) for name in sorted(names) if name.endswith(suffixes)]
        if len(found) > _MOST_FILES:
            raise CannotRead(f"{path}: more than {_MOST_FILES} files")
    return found


def inside(folder: Path, name: str, index: Path) -> Path:
    """The file that an index names, which must lie in the folder.

    Raises:
        CannotRead: It lies elsewhere.
    """
    target = None if "\0" in name else (folder / name).resolve()
    if target is None or folder.resolve() not in target.parents:
        raise CannotRead(f"{index}: it names a file outside of its folder: {name!r}")
    return target


def opener(path: Path) -> Callable:
    """What opens the one tensor of an ``.npy`` or ``.pt`` file."""

    def open_it() -> Array:
        if path.suffix == ".npy":
            return open_npy(path)
        from msprec.compare.weights.torch_file import read_torch

        return next(iter(read_torch(path).values()))

    return open_it


def natural(text: str) -> tuple:
    """A key that sorts ``2_relu`` before ``10_relu``."""
    return tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d{1,18})", text) if part
    )
