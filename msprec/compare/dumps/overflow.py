"""The first overflow in a dump: from Ascend's overflow files, or the first operator whose output is not finite."""

import math
import re
from pathlib import Path
from typing import NamedTuple, Optional

from msprec.compare.dumps.ascend_files import Overflow, opdebug_name, read_operator, read_overflows
from msprec.compare.dumps.dump import DumpedTensor, files_below
from msprec.compare.dumps.read_dump import read_dump
from msprec.compare.dumps.trace_ir import Line, source_lines
from msprec.compare.errors import CannotRead
from msprec.compare.parallel import on_all_cores
from msprec.compare.tensor_statistics import One, of_one

_BINARY = re.compile(r"(?P<first>[^.]+)\.(?P<second>[^.]+)\.(?P<task>\d+)\.(?P<stream>\d+)\.(?P<time>\d+)$")
_NPY = re.compile(
    r"(?P<first>[^.]+)\.(?P<second>[^.]+)\.(?P<task>\d+)\.(?P<stream>\d+)\.(?P<time>\d+)\.(?:input|output)\."
)


class Tensor(NamedTuple):
    """An input or output with its statistics."""

    io: str
    slot: str
    dtype: str
    shape: Optional[tuple]
    one: One


class OverflowedOperator(NamedTuple):
    """An operator that overflowed.

    Attributes:
        operator, kind: Its name and type; empty where its data were not dumped.
        tensors: Its inputs and outputs.
        line: Its place in the source, where the dump holds the graph.
        overflow: What the overflow file says; None: found by the values.
        step: The step, of a dump of values.
        notes: What could not be read.
    """

    operator: str
    kind: str
    tensors: list
    line: Optional[Line]
    overflow: Optional[Overflow]
    step: Optional[int] = None
    notes: tuple = ()


class Result(NamedTuple):
    """``found``: the overflows, the first first; ``searched``: how many overflow files, or operators, were looked at; ``by``:
    "files" or "values"; ``notes``: what could not be read."""

    found: list
    searched: int
    by: str
    notes: tuple = ()


def find_overflows(folder, most: int = 3) -> Result:
    """The first overflows in a dump.

    Args:
        folder: The folder of a dump, of any of the layouts of `msprec.compare.dumps.dump`.
        most: How many overflow files to describe.

    Raises:
        CannotRead: There is no dump in it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CannotRead(f"{folder}: there is no such folder")
    files = files_below(folder, "")
    debug = [file for file in files if opdebug_name(file) is not None]
    return _by_files(folder, files, debug, most) if debug else _by_values(folder)


# --- Ascend's overflow files --------------------------------------------------------------------------------------
def _by_files(folder: Path, files: list, debug: list, most: int) -> Result:
    overflows, notes = {}, []
    for file in debug:
        try:
            for overflow in read_overflows(file):
                # a file and its decoded form are one overflow
                overflows.setdefault((overflow.time, overflow.block, overflow.task, overflow.stream), overflow)
        except CannotRead as error:
            notes.append(str(error))
    first = sorted(overflows.values(), key=lambda overflow: overflow.time)[:most]
    operators = _operators(files)
    described = [_described(overflow, operators) for overflow in first]
    lines = source_lines(folder, {found.operator for found in described})
    described = [found._replace(line=lines.get(found.operator)) for found in described]
    return Result(described, len(debug), "files", tuple(notes))


def _operators(files: list) -> dict:
    """``{(task, stream): [(time, kind, name, file)]}`` of the operators' own files."""
    found = {}
    for file in files:
        name = _NPY.match(file.name) or _BINARY.match(file.name)
        if name is None or opdebug_name(file) is not None:
            continue
        kind, operator = name["first"], name["second"]
        if re.search(r"-op\d+$", kind):  # an aclnn operator: the other way round
            kind, operator = operator, kind
        key = (int(name["task"]), int(name["stream"]))
        found.setdefault(key, []).append((int(name["time"]), kind, operator, file))
    return found


def _described(overflow: Overflow, operators: dict) -> OverflowedOperator:
    near = operators.get((overflow.task, overflow.stream), [])
    # ids are used again in later steps: the operator ended just before its overflow was written
    here = [entry for entry in near if entry[3].parent == overflow.file.parent] or near
    before = [entry for entry in here if entry[0] <= overflow.time] or here
    if not before:
        return OverflowedOperator("", "", [], None, overflow)
    _, kind, operator, _ = max(before, key=lambda entry: entry[0]) if before is not here else min(before)
    tensors, notes = [], []
    for _, _, name, file in sorted(here):
        if name == operator:
            try:
                tensors += _tensors(file)
            except CannotRead as error:
                notes.append(str(error))
    return OverflowedOperator(operator, kind, tensors, None, overflow, notes=tuple(notes))


def _tensors(file: Path) -> list:
    if file.suffix == ".npy":
        from msprec.compare.dumps.dump import opener

        array = opener(file)()
        io, slot = re.search(r"\.(input|output)\.(\d+)\.", file.name).groups()
        return [Tensor(io, slot, array.dtype, array.shape, of_one(array.load()))]
    return [Tensor(io, str(slot), values.dtype.name, None, of_one(values)) for io, slot, values in read_operator(file)]


# --- values -------------------------------------------------------------------------------------------------------
def _by_values(folder: Path) -> Result:
    dump = read_dump(folder)
    kept = [item for item in dump.items if item.io in ("input", "output", "gradient")]
    notes = list(dump.notes)
    ones = dict(zip(map(id, kept), on_all_cores(_statistics, kept, "tensors")))
    notes += [error for _, error in ones.values() if error][:3]
    calls = {}
    for item in kept:
        calls.setdefault((item.step, item.op, item.phase, item.call), []).append(item)
    for items in calls.values():
        inputs = [ones[id(item)][0] for item in items if item.io == "input"]
        outputs = [ones[id(item)][0] for item in items if item.io != "input"]
        if any(map(_bad, outputs)) and not any(map(_bad, inputs)):
            return Result([_found(dump.path, items, ones)], len(calls), "values", tuple(notes))
    # bad from the very beginning: the first that holds it
    bad = next((items for items in calls.values() if any(_bad(ones[id(item)][0]) for item in items)), None)
    found = [_found(dump.path, bad, ones)] if bad else []
    return Result(found, len(calls), "values", tuple(notes))


def _statistics(item: DumpedTensor) -> tuple:
    """``(One or None, error)``."""
    if item.one is not None:
        return item.one, ""
    try:
        return of_one(item.open().load()), ""
    except CannotRead as error:
        return None, str(error)


def _bad(one: Optional[One]) -> bool:
    if one is None:
        return False
    known = [value for value in (one.max, one.min, one.mean, one.norm) if value is not None]
    return bool(one.nan or one.inf) or not all(map(math.isfinite, known))


def _found(folder: Path, items: list, ones: dict) -> OverflowedOperator:
    tensors = []
    for item in items:
        one, _ = ones[id(item)]
        if one is not None:
            array = item.open() if item.open is not None and item.shape is None else None
            shape, dtype = (array.shape, array.dtype) if array else (item.shape, item.dtype)
            tensors.append(Tensor(item.io, item.slot, dtype, shape, one))
    op = items[0].op
    return OverflowedOperator(op, items[0].kind, tensors, source_lines(folder, {op}).get(op), None, items[0].step)
