"""The dumps of ``msprec dump`` and ``msprec.torch.dump``: written and read here. Needs neither framework.

DUMP/msprec_dump.json           {"schema": 1, "framework": "mindspore"|"torch", "tool": "msprec 0.1.0"}
DUMP/step_N/tensors.jsonl       a line a tensor, in the order of execution:
    {"order": 12, "op": "layer1.conv", "class": "Conv2d", "phase": "forward"|"backward", "call": 0,
     "io": "input"|"output"|"parameter"|"gradient"|"state", "slot": "0"|"weight", "shape": [8, 3], "dtype": "float32",
     "file": "000012.npy"|null, "max": 1.0|null, "min": …, "mean": …, "norm": …, "nan": 0, "inf": 0}
DUMP/step_N/000012.npy          the values (bfloat16 as float32); none when only statistics were asked for
"""

import json
import math
import os
from pathlib import Path
from typing import Optional

import numpy as np

from msprec._version import __version__
from msprec.compare.dumps.dump import Dump, DumpedTensor, inside, opener
from msprec.compare.errors import CannotRead
from msprec.compare.tensor_statistics import One, of_one

INDEX, LINES = "msprec_dump.json", "tensors.jsonl"


class DumpWriter:
    """Writes a dump. No method raises: a disk that is full ends the dump with ``failure`` set, not the training.

    Args:
        folder: Where it goes; must not hold a dump yet.
        framework: "mindspore" or "torch".
        statistics: Write no values, statistics only.

    Raises:
        OSError: The folder cannot be made.
    """

    def __init__(self, folder, framework: str, statistics: bool = False) -> None:
        self.folder, self.statistics, self.failure = Path(folder), statistics, None
        self.steps, self.count, self._order, self._lines = [], 0, 0, None
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema": 1, "framework": framework, "tool": f"msprec {__version__}"})
        (self.folder / INDEX).write_text(text + "\n", encoding="utf-8")

    def begin(self, step: int) -> None:
        """What follows belongs to this step."""
        self.end()
        try:
            home = self.folder / f"step_{step}"
            home.mkdir(exist_ok=True)
            self._lines = open(home / LINES, "w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            self.failure = str(error)
            return
        self.steps.append(step)
        self._order = 0

    def put(
        self, op: str, kind: str, phase: str, io: str, slot: str, call: int, values: np.ndarray, dtype: str = ""
    ) -> None:
        """Writes a tensor: NumPy values that nobody changes afterwards; ``dtype``: where it is not theirs."""
        if self._lines is None or self.failure:
            return
        self._order += 1
        try:
            name = None if self.statistics else self._save(values)
            one = of_one(values)
            entry = {
                "order": self._order,
                "op": op,
                "class": kind,
                "phase": phase,
                "call": call,
                "io": io,
                "slot": slot,
                "shape": list(values.shape),
                "dtype": dtype or values.dtype.name,
                "file": name,
                **one._asdict(),
            }
            self._lines.write(json.dumps(entry, allow_nan=False) + "\n")
            self.count += 1
        except (OSError, ValueError, TypeError) as error:
            self.failure = f"{type(error).__name__}: {error}"

    def _save(self, values: np.ndarray) -> str:
        name = f"{self._order:06d}.npy"
        target = self.folder / f"step_{self.steps[-1]}" / name
        try:
            np.save(target, values, allow_pickle=False)
        except OSError:
            target.unlink(missing_ok=True)  # half a tensor is none
            raise
        return name

    def end(self) -> None:
        """The step is over."""
        if self._lines is not None:
            try:
                self._lines.close()
            except OSError as error:
                self.failure = str(error)
            self._lines = None


def has_dump(folder) -> bool:
    """Whether a folder holds a dump already."""
    return os.path.exists(Path(folder) / INDEX)


def read(path: Path) -> Optional[Dump]:
    """The dump in a folder; None when it holds none.

    Raises:
        CannotRead: Its index is damaged, or of a newer version.
    """
    steps = [path] if (path / LINES).is_file() else sorted(path.glob("step_*"))
    if not (path / INDEX).is_file() and not (path / LINES).is_file():
        return None
    if (path / INDEX).is_file():
        try:
            schema = json.loads((path / INDEX).read_text(encoding="utf-8")).get("schema")
        except (ValueError, AttributeError, RecursionError):
            raise CannotRead(f"{path / INDEX}: damaged") from None
        if schema != 1:
            raise CannotRead(f"{path}: written by another msprec (schema {schema}; this one reads 1)")
    items, notes = [], []
    for home in steps:
        number = home.name.rpartition("_")[2]
        if (home / LINES).is_file() and number.isdigit():
            found, broken = _step(home, int(number))
            items += found
            if broken:
                notes.append(f"{home.name}/{LINES}: {broken} damaged lines left out")
    return Dump(path, "msprec", items, tuple(notes))


def _step(home: Path, step: int) -> tuple:
    items, broken = [], 0
    with open(home / LINES, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                items.append(_item(home, step, json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError):
                broken += 1
    return items, broken


def _item(home: Path, step: int, entry: dict) -> DumpedTensor:
    op, phase, io, slot, call = (entry[key] for key in ("op", "phase", "io", "slot", "call"))
    name = f"{op or '(network)'}.{phase}.{call}.{io}.{slot}" if call else f"{op or '(network)'}.{phase}.{io}.{slot}"
    file = entry.get("file")
    target = inside(home, str(file), home / LINES) if file is not None else None
    one = One(*(entry.get(key) for key in One._fields))
    return DumpedTensor(
        name,
        str(op),
        str(entry.get("class") or ""),
        str(phase),
        str(io),
        str(slot),
        int(call),
        step,
        (step, int(entry["order"])),
        opener(target) if target else None,
        None if target else one,
        tuple(map(int, entry["shape"])),
        str(entry["dtype"]),
    )


def finite(value: Optional[float]) -> bool:
    """Whether a statistic is there and is a number."""
    return value is not None and math.isfinite(value)
