"""The dumps that MindSpore writes when ``MINDSPORE_DUMP_CONFIG`` is set.

File names: ``{op_type}.{op_name}.{task_id}.{stream_id}.{timestamp}.{input|output}.{slot}.{format}[.{dtype}].npy``; without the
dtype up to 2.3; type and name the other way round for aclnn operators. ``statistic.csv`` beside them or instead of them. Names
that are too long are numbers, which ``mapping.csv`` explains. Folders: ``rank_R/NET/GRAPH/ITERATION/``. Source: MindSpore's dump
documentation, 2.2 to 2.10, and files written by 2.7.1 and 2.10.0.
"""

import csv
import re
from pathlib import Path
from typing import NamedTuple, Optional

from msprec.compare.dumps.dump import Dump, DumpedTensor, files_below, opener
from msprec.compare.tensor_statistics import One

_NAME = re.compile(
    r"(?P<type>[^.]+)\.(?P<name>[^.]+)\.(?P<task>\d+)\.(?P<stream>\d+)\.(?P<time>\d+)"
    r"\.(?P<io>input|output)\.(?P<slot>\d+)\.(?P<format>[^.]+)(?:\.(?P<dtype>[^.]+))?\.npy"
)
_OPERATOR = re.compile(r"-op\d+$|^(?:Default|Gradients|kernel_graph)")
_CSV = {"max": "Max Value", "min": "Min Value", "mean": "Avg Value", "norm": "L2Norm Value"}
_COUNTS = ("NaN Count", "Negative Inf Count", "Positive Inf Count")


class _Raw(NamedTuple):
    """A tensor as its name tells: ``home`` its folder, ``time`` its time stamp, ``what`` a file or a row of statistics."""

    home: Path
    type: str
    name: str
    time: int
    io: str
    slot: str
    what: object


def read(path: Path) -> Optional[Dump]:
    """The dump in a folder; None when it holds none."""
    files = files_below(path, ".npy", "statistic.csv", "mapping.csv")
    renamed = _mappings(files)
    raw = [found for file in files if (found := _parse(file, renamed)) is not None]
    tables = [file for file in files if file.name == "statistic.csv"]
    with_values = {(r.home, r.name, r.io, r.slot) for r in raw}
    raw += [r for table in tables for r in _rows(table) if (r.home, r.name, r.io, r.slot) not in with_values]
    if not raw:
        return None
    homes, notes = _first_rank(raw)
    return Dump(path, "mindspore", _items([r for r in raw if r.home in homes]), notes)


def _mappings(files: list) -> dict:
    """``{(folder, number): original name}``."""
    found = {}
    for file in files:
        if file.name == "mapping.csv":
            with open(file, encoding="utf-8", errors="replace", newline="") as text:
                found.update(
                    {(file.parent, row[0].strip()): row[1].strip() for row in csv.reader(text) if len(row) > 1}
                )
    return found


def _parse(file: Path, renamed: dict) -> Optional[_Raw]:
    name = renamed.get((file.parent, file.name)) or renamed.get((file.parent, file.stem)) or file.name
    found = _NAME.fullmatch(name if name.endswith(".npy") else f"{name}.npy")
    if found is None:
        return None
    kind, name = found["type"], found["name"]
    if _OPERATOR.search(kind) and not _OPERATOR.search(name):  # an aclnn operator
        kind, name = name, kind
    return _Raw(file.parent, kind, name, int(found["time"]), found["io"], found["slot"], file)


def _rows(table: Path) -> list:
    with open(table, encoding="utf-8", errors="replace", newline="") as text:
        rows = list(csv.DictReader(line.replace("\0", "") for line in text))
    found = []
    for row in rows:
        try:
            found.append(
                _Raw(table.parent, row["Op Type"], row["Op Name"], int(row["Timestamp"]), row["IO"], row["Slot"], row)
            )
        except (KeyError, TypeError, ValueError):
            continue  # cut off while it was written
    return found


def _first_rank(raw: list) -> tuple:
    """The folders of the lowest rank, and a note where there are more ranks."""
    homes = {r.home for r in raw}
    ranks = {home: next((part for part in home.parts if re.fullmatch(r"rank_\d+", part)), "") for home in homes}
    names = sorted(set(ranks.values()), key=lambda name: (len(name), name))
    notes = () if len(names) < 2 else (f"{names[0]} of {len(names)} ranks",)
    return {home for home, rank in ranks.items() if rank == names[0]}, notes


def _items(raw: list) -> list:
    starts, calls = {}, {}
    for r in raw:
        key = (r.home, r.name)
        starts[key] = min(starts.get(key, r.time), r.time)
    items = []
    for r in sorted(raw, key=lambda r: (str(r.home), r.time)):
        step = int(r.home.name) if r.home.name.isdigit() else 0
        key = (r.home, r.name, r.io, r.slot)
        call = calls[key] = calls.get(key, -1) + 1
        phase = "backward" if r.name.startswith("Gradients") else "forward"
        io = "parameter" if r.type == "Parameter" else r.io
        when = r.time if call else starts[r.home, r.name]
        order = (step, when, r.name, call, r.io != "input", int(r.slot))
        items.append(_item(r, phase, io, call, step, order))
    return items


def _item(r: _Raw, phase: str, io: str, call: int, step: int, order: tuple) -> DumpedTensor:
    name = f"{r.name}.{r.io}.{r.slot}" + (f" ({call})" if call else "")
    if isinstance(r.what, Path):
        return DumpedTensor(name, r.name, r.type, phase, io, r.slot, call, step, order, opener(r.what))
    row = r.what
    numbers = {key: _number(row.get(column)) for key, column in _CSV.items()}
    counts = [int(_number(row.get(column)) or 0) for column in _COUNTS]
    one = One(**numbers, nan=counts[0], inf=sum(counts[1:]))
    shape = tuple(int(n) for n in re.findall(r"\d+", row.get("Shape") or ""))
    return DumpedTensor(
        name, r.name, r.type, phase, io, r.slot, call, step, order, None, one, shape, row.get("Data Type") or ""
    )


def _number(text: Optional[str]) -> Optional[float]:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None
