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


#: Where a training set is told to shuffle.
_SHUFFLED = "shuffle=True"


def faulty(kind: Kind) -> Mutant:
    """The program of a pair with its fault."""
    return _mutant(kind, FAULT, _ENTRIES[kind.name]["edits"])


def second_faults(kind: Kind) -> list[tuple[Mutant, Mutant]]:
    """The sound and the faulty program, each with a second fault that need not matter: a training set that is not shuffled, or
    one whose order is mixed once and the same in each epoch. Empty where that is the fault itself, or nothing is shuffled at
    one place."""
    entry = _ENTRIES[kind.name]
    text, edits = Program(kind.folder).texts["train.py"], entry["edits"]
    if text.count(_SHUFFLED) != 1 or any(_SHUFFLED in old for old, _ in edits):
        return []
    changes = {"shuffle_off": "shuffle=False"}
    if "samples" in entry:  # 389 is prime, so that each sample comes once
        changes["order_repeats"] = "sampler=[i * 389 % {0} for i in range({0})]".format(entry["samples"])
    return [
        (
            _mutant(kind, name, [(_SHUFFLED, new)]),
            _mutant(kind, f"{FAULT}+{name}", [*edits, (_SHUFFLED, new)]),
        )
        for name, new in changes.items()
    ]


def _mutant(kind: Kind, name: str, edits: list) -> Mutant:
    entry, program = _ENTRIES[kind.name], Program(kind.folder)
    fault = replaced(program, "train.py", [(old, new) for old, new in edits], entry["items"], entry["fault"])
    used = [program.module("train.py").find(text) for text in entry.get("used", ())]
    return mutate(program, kind.name, name, Fault(fault.edits, fault.items, fault.description, used))
