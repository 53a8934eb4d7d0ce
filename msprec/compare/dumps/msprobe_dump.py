"""The dumps of msprobe and of its forerunner ptdbg.

msprobe: ``stepN/rankR/dump.json`` with ``{"data": {"Module.conv1.Conv2d.forward.0": {"input_args": […], "input_kwargs": {…},
"output": […], "parameters": {…}}, "Functional.relu.0.backward": {"input": […], …}, "Module.conv1.Conv2d.parameters_grad.0":
{"weight": […]}}}``, each tensor with Max, Min, Mean, Norm and, where values were saved, ``data_name``, a file in
``dump_tensor_data``. Seen from msprobe 26.2.
ptdbg: ``[stepN/]rankR/NAME.pkl``, which is text: a line a tensor, ``[name, step, [], dtype, shape, [max, min, mean]]``, and the
values in ``NAME/{name}.npy``. Source: its file dump.py.
"""

import json
import re
from pathlib import Path
from typing import Optional

from msprec.compare.dumps.dump import Dump, DumpedTensor, files_below, inside, opener
from msprec.compare.errors import CannotRead
from msprec.compare.tensor_statistics import One

_MOST_INDEX = 1 << 30
_CELL = re.compile(
    r"(?:Module|Cell)\.(?P<op>.*)\.(?P<kind>\w+)\.(?P<phase>forward|backward|parameters_grad)(?:\.(?P<call>\d+))?"
)
_API = re.compile(r"(?P<op>\w+\.\w+)\.(?P<call>\d+)\.(?P<phase>forward|backward)")
_PTDBG = re.compile(r"(?P<op>.+)_(?P<call>\d+)_(?P<phase>forward|backward)_(?P<io>input|output)(?:\.(?P<slot>.*))?")


def read(path: Path) -> Optional[Dump]:
    """The dump in a folder; None when it holds none."""
    files = files_below(path, "dump.json", ".pkl")
    indexes = [file for file in files if file.name == "dump.json"]
    if indexes:
        found, notes = _of_first_rank(path, indexes)
        return Dump(path, "msprobe", [item for file in found for item in _msprobe(file, _step_of(path, file))], notes)
    tables = [file for file in files if file.suffix == ".pkl" and _is_text(file)]
    if not tables:
        return None
    found, notes = _of_first_rank(path, tables)
    return Dump(path, "ptdbg", [item for file in found for item in _ptdbg(file, _step_of(path, file))], notes)


def _of_first_rank(path: Path, files: list) -> tuple:
    """Of each step the file of its first rank."""
    first, ranks = {}, set()
    for file in files:
        ranks.add(file.parent.name)
        first.setdefault(_step_of(path, file), file)
    return list(first.values()), () if len(ranks) < 2 or len(first) == len(files) else (
        f"{len(ranks)} ranks, the first only",
    )


def _step_of(path: Path, file: Path) -> int:
    for part in reversed((path.name, *file.relative_to(path).parts)):
        found = re.fullmatch(r"step(\d+)", part)
        if found:
            return int(found[1])
    return 0


# --- msprobe ------------------------------------------------------------------------------------------------------
def _msprobe(index: Path, step: int) -> list:
    if index.stat().st_size > _MOST_INDEX:
        raise CannotRead(f"{index}: larger than {_MOST_INDEX} bytes; not read")
    try:
        data = json.loads(index.read_text(encoding="utf-8", errors="replace"))["data"]
        entries = list(data.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CannotRead(f"{index}: no dump of msprobe, or a damaged one") from None
    items = []
    for place, (name, entry) in enumerate(entries):
        found = _CELL.fullmatch(name) or _API.fullmatch(name)
        if found is not None and isinstance(entry, dict):
            items += _entry(index, step, place, name, found.groupdict(), entry)
    return items


def _entry(index: Path, step: int, place: int, name: str, parts: dict, entry: dict) -> list:
    gradients = parts["phase"] == "parameters_grad"
    found = []
    for key, value in entry.items():
        if gradients:
            found += [("gradient", key, leaf) for _, leaf in _leaves(value, "")]
            continue
        io = "parameter" if key == "parameters" else "input" if key.startswith("input") else "output"
        found += [(io, slot or "0", leaf) for slot, leaf in _leaves(value, "")]
    base = (parts["op"], parts.get("kind") or "", "backward" if gradients else parts["phase"], int(parts["call"] or 0))
    return [
        _leaf(index, step, (step, place, number), name, base, io, slot, leaf)
        for number, (io, slot, leaf) in enumerate(found)
    ]


def _leaves(value, prefix: str):
    """``(slot, entry)`` of each tensor in nested lists and dictionaries."""
    if isinstance(value, dict) and "dtype" in value and "shape" in value:
        yield prefix, value
    elif isinstance(value, (list, dict)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, f"{prefix}.{key}" if prefix else str(key))


def _leaf(index: Path, step: int, order: tuple, name: str, base: tuple, io: str, slot: str, leaf: dict) -> DumpedTensor:
    op, kind, phase, call = base
    file = leaf.get("data_name")
    folder = index.parent / "dump_tensor_data"
    target = inside(folder, str(file), index) if file not in (None, "-1", -1) else None
    if target is not None and not target.is_file():
        target = None
    one = One(*(_number(leaf.get(key)) for key in ("Max", "Min", "Mean", "Norm")))
    shape = tuple(n for n in leaf["shape"] if isinstance(n, int))
    return DumpedTensor(
        f"{name}.{io}.{slot}",
        op,
        kind,
        phase,
        io,
        slot,
        call,
        step,
        order,
        opener(target) if target else None,
        None if target else one,
        shape,
        str(leaf["dtype"]).rpartition(".")[2].lower(),
    )


def _number(value) -> Optional[float]:
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


# --- ptdbg --------------------------------------------------------------------------------------------------------
def _is_text(file: Path) -> bool:
    """Whether it is ptdbg's text, not a pickle."""
    with open(file, "rb") as data:
        return data.read(2) == b'["'


def _ptdbg(table: Path, step: int) -> list:
    items = []
    with open(table, encoding="utf-8", errors="replace") as lines:
        for place, line in enumerate(lines):
            try:
                entry = json.loads(line)
                found = _PTDBG.fullmatch(entry[0])
                if found is not None and len(entry) > 5:
                    items.append(_ptdbg_item(table, step, place, entry, found))
            except (ValueError, TypeError, IndexError, RecursionError):
                continue  # cut off, or none of the tensors
    return items


def _ptdbg_item(table: Path, step: int, place: int, entry: list, found: re.Match) -> DumpedTensor:
    name, shape, summary = entry[0], entry[4], entry[5]
    target = inside(table.with_suffix(""), f"{name}.npy", table)
    there = target.is_file()
    numbers = [*map(_number, summary if isinstance(summary, list) else ()), None, None, None][:3]
    sizes = tuple(n for n in shape if isinstance(n, int)) if isinstance(shape, list) else None
    return DumpedTensor(
        name,
        found["op"],
        "",
        found["phase"],
        found["io"],
        found["slot"] or "0",
        int(found["call"]),
        step,
        (step, place),
        opener(target) if there else None,
        None if there else One(*numbers, None),
        sizes,
        str(entry[3]).rpartition(".")[2],
    )
