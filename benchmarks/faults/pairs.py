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


#: A change that does no harm where the samples stand in random order already, as they do in most of the programs.
_UNSHUFFLED = ("shuffle=True", "shuffle=False")


def faulty(kind: Kind) -> Mutant:
    """The program of a pair with its fault."""
    return _mutant(kind, FAULT, _ENTRIES[kind.name]["edits"])


def unshuffled(kind: Kind) -> tuple[Mutant, Mutant] | None:
    """The sound and the faulty program, each with a training set that is not shuffled: a second fault, which need not matter.
    None where that is the fault itself, or nothing is shuffled at one place."""
    text, edits = Program(kind.folder).texts["train.py"], _ENTRIES[kind.name]["edits"]
    if text.count(_UNSHUFFLED[0]) != 1 or any(_UNSHUFFLED[0] in old for old, _ in edits):
        return None
    name = "shuffle_off"
    return _mutant(kind, name, [_UNSHUFFLED]), _mutant(kind, f"{FAULT}+{name}", [*edits, _UNSHUFFLED])


def _mutant(kind: Kind, name: str, edits: list) -> Mutant:
    entry, program = _ENTRIES[kind.name], Program(kind.folder)
    fault = replaced(program, "train.py", [(old, new) for old, new in edits], entry["items"], entry["fault"])
    used = [program.module("train.py").find(text) for text in entry.get("used", ())]
    return mutate(program, kind.name, name, Fault(fault.edits, fault.items, fault.description, used))
