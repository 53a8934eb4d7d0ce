"""Plain ``.npy`` and ``.npz`` files as a dump: what each holds is told by its name."""

import re
from pathlib import Path
from typing import Callable

from msprec.compare.arrays import open_npz
from msprec.compare.dumps.dump import Dump, DumpedTensor, files_below, natural, opener

_IO = re.compile(r"(?i)(?:^|[._\-/])(?P<io>inputs?|outputs?)(?:[._\-](?P<slot>\d+))?(?=$|[._\-/])")
_BACKWARD = re.compile(r"(?i)(?:^|[._\-/])(?:backward|bprop)(?=$|[._\-/])")
_STEP = re.compile(r"(?i)^(?:step|iter|iteration)[_\-]?(\d+)$")


def read_npz(path: Path) -> Dump:
    """The arrays of an ``.npz`` file, in its order."""
    return Dump(path, "files", _of_npz(path, path.stem))


def read(path: Path) -> Dump:
    """The arrays below a folder."""
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


def _plain(stem: str, open_it: Callable) -> DumpedTensor:
    parts = stem.split("/")
    numbers = [match for part in parts[:-1] if (match := _STEP.match(part))]
    step = int(numbers[0][1]) if numbers else 0
    rest = "/".join(part for part in parts if not _STEP.match(part)) or stem
    found = _IO.search(rest)
    op = (rest[: found.start()] + rest[found.end() :]).strip("._-/") or rest if found else rest
    io = found["io"].lower().rstrip("s") if found else "output"
    phase = "backward" if _BACKWARD.search(rest) else "forward"
    return DumpedTensor(
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
