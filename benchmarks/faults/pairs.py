"""The pairs: a sound program of `programs/` each, and the same program with the fault that `catalogue.toml` puts into it."""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10 and older
    import tomli as tomllib

sys.path.insert(0, str(Path(__file__).parents[1] / "mutants"))

from catalogue import Kind
from operators import Fault, Mutant, mutate, replaced
from source import Program

HERE = Path(__file__).parent
#: The name of the faulty program beside ``original``.
FAULT = "fault"
_ENTRIES = tomllib.loads((HERE / "catalogue.toml").read_text(encoding="utf-8"))
#: In the order of the catalogue. What counts as a program's result is read from what it prints, so no metric is named here.
PAIRS = [Kind(name, "", True, False, HERE / "programs") for name in _ENTRIES]


def faulty(kind: Kind) -> Mutant:
    """The program of a pair with its fault."""
    entry, program = _ENTRIES[kind.name], Program(kind.folder)
    edits = [(old, new) for old, new in entry["edits"]]
    fault = replaced(program, "train.py", edits, entry["items"], entry["fault"])
    used = [program.module("train.py").find(text) for text in entry.get("used", ())]
    return mutate(program, kind.name, FAULT, Fault(fault.edits, fault.items, fault.description, used))
