"""The ranks of a distributed run, read together: who overflowed, who went non-finite first, where they disagree."""

from collections.abc import Iterable
from functools import wraps
from typing import Callable, NamedTuple, Optional
from weakref import WeakKeyDictionary

import numpy as np

from msprec.record.reader import Records, Steps

_SEEN = ("loss", "gradient", "parameter")


class NonFiniteRanks(NamedTuple):
    """``what``: "loss", "gradient" or "parameter" (at this step or before); ``ranks``: those it befell at ``step``."""

    step: int
    what: str
    ranks: list


class Disagreement(NamedTuple):
    """``what``: "overflow", "scale", "steps" or "weights"; ``step``: the first such step, where it has one; ``values``: by
    rank; ``name``: the first parameter that differs."""

    what: str
    step: Optional[int]
    values: dict
    name: Optional[str] = None


def _once(read: Callable) -> Callable:
    """Answers once for each folder: checks ask on behalf of each rank, and every answer reads the records of all."""
    answers: WeakKeyDictionary = WeakKeyDictionary()

    @wraps(read)
    def answered(folder: Records):
        if folder not in answers:
            answers[folder] = read(folder)
        return answers[folder]

    return answered


@_once
def first_nonfinite(folder: Records) -> Optional[NonFiniteRanks]:
    """The earliest step at which any rank's loss or gradients were NaN or infinite; where no rank's were, parameters.

    A step that a loss scale skipped for overflow does not count.
    """
    exact = [found for rank in folder.ranks() for found in _of_rank(folder, rank)]
    counted = [found for found in exact if found[1] != "parameter"] or exact
    if not counted:
        return None
    step, what, _ = min(counted, key=lambda found: found[:2])
    return NonFiniteRanks(step, what, sorted({rank for at, _, rank in counted if at == step}))


@_once
def disagreements(folder: Records) -> list:
    """Where ranks that train one model together have to agree and do not.

    Overflow flags and scales are compared at the steps that all ranks recorded; counts of steps only where every rank
    ended by itself, since a killed one lacks its last second; initial weights by their digests.
    """
    ranks = [rank for rank in folder.ranks() if len(folder.steps(rank))]
    if len(ranks) < 2:
        return []
    tables = {rank: folder.steps(rank) for rank in ranks}
    found = [_first_difference(tables, what) for what in ("overflow", "scale")]
    counts = {rank: int(table["step"][_numbered(table)].max(initial=0)) for rank, table in tables.items()}
    ended = all(_ended(folder.run_of(rank)) for rank in ranks)
    if ended and len(set(counts.values())) > 1:
        found.append(Disagreement("steps", None, counts))
    found.append(_other_weights(folder, ranks))
    return [one for one in found if one is not None]


def weights_differ(folder: Records, ranks: Iterable, when: str) -> Optional[bool]:
    """Whether trained parameters of one name and shape differ between ranks, ``when`` "initial" or "final"; None: not
    known."""
    digests = [_digests(folder, rank, when) for rank in ranks]
    shared = set.intersection(*map(set, digests)) if digests else set()
    if not shared:
        return None
    return any(len({digest[key] for digest in digests}) > 1 for key in shared)


def _of_rank(folder: Records, rank: int):
    for event in folder.events(rank):
        what, step = event.get("what"), event.get("step")
        if event.get("event") == "first_nonfinite" and isinstance(step, int) and what in _SEEN:
            yield step, what, rank
    steps = folder.steps(rank)
    bad = _numbered(steps) & steps.seen("loss") & ~np.isfinite(steps["loss"]) & ~(np.nan_to_num(steps["overflow"]) > 0)
    if bad.any():
        yield int(steps["step"][bad].min()), "loss", rank


def _first_difference(tables: dict, column: str) -> Optional[Disagreement]:
    common = None
    for table in tables.values():
        steps = np.unique(table["step"][_numbered(table) & table.seen(column)])
        common = steps if common is None else np.intersect1d(common, steps)
    if common is None or not common.size:
        return None
    values = {rank: _at(table, column, common) for rank, table in tables.items()}
    reference = next(iter(values.values()))
    same = np.all([np.isclose(one, reference, 0, 0, True) for one in values.values()], axis=0)
    if same.all():
        return None
    place = int(np.argmin(same))
    return Disagreement(column, int(common[place]), {rank: float(one[place]) for rank, one in values.items()})


def _numbered(table: Steps) -> np.ndarray:
    """Rows whose step is a number that a step can have."""
    return np.abs(np.nan_to_num(table["step"], nan=np.inf)) < 2**53


def _at(table: Steps, column: str, steps: np.ndarray) -> np.ndarray:
    usable = _numbered(table) & table.seen(column)
    numbers, first = np.unique(table["step"][usable], return_index=True)
    return table[column][usable][first[np.searchsorted(numbers, steps)]]


def _ended(run: dict) -> bool:
    """Whether the script of a rank came to its own end."""
    end = run.get("exit")
    return isinstance(end, dict) and end.get("kind") in ("ok", "exit")


def _digests(folder: Records, rank: int, when: str) -> dict:
    """``{(name, shape): digests}`` of the trained parameters whose values were read whole; of several of one name, as of two
    networks, in no order: that in which they were made known may differ from rank to rank."""
    found: dict = {}
    listed = folder.facts("parameters", rank).get("parameters")
    for entry in listed if isinstance(listed, list) else []:
        spread = entry.get(when) if isinstance(entry, dict) else None
        if isinstance(spread, dict) and spread.get("digest") and entry.get("requires_grad"):
            found.setdefault((str(entry.get("name")), str(entry.get("shape"))), []).append(str(spread["digest"]))
    return {key: " ".join(sorted(digests)) for key, digests in found.items()}


def _other_weights(folder: Records, ranks: list) -> Optional[Disagreement]:
    digests = {rank: _digests(folder, rank, "initial") for rank in ranks}
    for key in next(iter(digests.values())):
        seen = {rank: found[key] for rank, found in digests.items() if key in found}
        if len(seen) == len(ranks) and len(set(seen.values())) > 1:
            return Disagreement("weights", None, seen, key[0])
    return None
