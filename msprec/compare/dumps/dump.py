"""Dumped tensors, whatever wrote them: who made which tensor, when, and where its values are."""

import re
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from msprec.compare.arrays import Array, open_npy, open_npz
from msprec.compare.errors import CannotRead
from msprec.compare.tensors.statistics import One

_MOST_FILES = 2_000_000


class Item(NamedTuple):
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


def read_dump(path) -> Dump:
    """Lists the tensors of a folder (or an ``.npz`` file).

    Raises:
        CannotRead: There is no tensor in it, or an index in it is damaged.
    """
    from msprec.compare.dumps import mindspore_dump, msprec_dump, msprobe_dump

    path = Path(path)
    if path.is_file() and path.suffix == ".npz":
        return Dump(path, "files", _of_npz(path, path.stem))
    if not path.is_dir():
        raise CannotRead(f"{path}: there is no such folder")
    try:
        for reader in (msprec_dump.read, msprobe_dump.read, mindspore_dump.read, _read_files):
            found = reader(path)
            if found is not None and found.items:
                return found._replace(items=sorted(found.items, key=lambda item: item.order))
    except OSError as error:
        raise CannotRead(f"{path}: {error.strerror or error}") from None
    raise CannotRead(f"{path}: no tensor in it (.npy, .npz, or a dump of MindSpore, msprobe, ptdbg or msprec)")


def files_below(path: Path, *suffixes: str) -> list:
    """The files below a folder whose names end so, in the order of their names; links to folders are not followed.

    Raises:
        CannotRead: There are too many.
    """
    import os

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


# --- plain files --------------------------------------------------------------------------------------------------
_IO = re.compile(r"(?i)(?:^|[._\-/])(?P<io>inputs?|outputs?)(?:[._\-](?P<slot>\d+))?(?=$|[._\-/])")
_BACKWARD = re.compile(r"(?i)(?:^|[._\-/])(?:backward|bprop)(?=$|[._\-/])")
_STEP = re.compile(r"(?i)^(?:step|iter|iteration)[_\-]?(\d+)$")


def natural(text: str) -> tuple:
    """A key that sorts ``2_relu`` before ``10_relu``."""
    return tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d{1,18})", text) if part
    )


def _read_files(path: Path) -> Optional[Dump]:
    items = []
    for file in files_below(path, ".npy", ".npz"):
        stem = file.relative_to(path).with_suffix("").as_posix()
        if file.suffix == ".npz":
            items += _of_npz(file, stem)
        else:
            items.append(_plain(stem, opener(file)))
    return Dump(path, "files", items)


def _of_npz(file: Path, stem: str) -> list:
    return [_plain(f"{stem}/{name}", lambda array=array: array) for name, array in open_npz(file).items()]


def _plain(stem: str, open_it: Callable) -> Item:
    parts = stem.split("/")
    numbers = [match for part in parts[:-1] if (match := _STEP.match(part))]
    step = int(numbers[0][1]) if numbers else 0
    rest = "/".join(part for part in parts if not _STEP.match(part)) or stem
    found = _IO.search(rest)
    op = (rest[: found.start()] + rest[found.end() :]).strip("._-/") or rest if found else rest
    io = found["io"].lower().rstrip("s") if found else "output"
    phase = "backward" if _BACKWARD.search(rest) else "forward"
    return Item(
        stem,
        op,
        "",
        phase,
        io,
        (found["slot"] or "0") if found else "0",
        0,
        step,
        (step, natural(op), io != "input", natural(stem)),
        open_it,
    )
