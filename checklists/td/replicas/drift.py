"""Where the parameters of ranks begin to differ (td.07)."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.record.schema import REPLICAS


class Drift(NamedTuple):
    """Of one kind of parameters: their number; ``steps``: the looks that all ranks took; ``first`` and ``last_equal`` of them;
    ``names``: those that differ first; ``distance``: the largest at the end, over the norm; ``apart_at_end``: whether it
    counts; ``typical``: the median of the distances at the end."""

    parameters: int
    steps: list
    last_equal: Optional[int]
    first: Optional[int]
    names: list
    distance: float
    apart_at_end: bool
    typical: float = 0.0


def drifts(run_data: RunData) -> dict:
    """``{kind: Drift}``; empty where fewer than two ranks took a look before the same step."""
    looks = {rank: run_data.file("replicas", REPLICAS, rank).looks for rank in run_data.ranks}
    if len(looks) < 2 or not all(looks.values()):
        return {}
    steps = sorted(set.intersection(*({one.step for one in held} for held in looks.values())))
    if len(steps) < 2:
        return {}
    tables = {step: _aligned([_entries(held, step) for held in looks.values()]) for step in steps}
    kinds = [kind for kind in ("weight", "optimizer", "rate", "statistic") if _names(tables[steps[-1]], kind)]
    limit = run_data.limit("td.07.apart")
    return {kind: _drift(tables, steps, kind, limit) for kind in kinds} if "weight" in kinds else {}


def _entries(looks: list, step: int) -> dict:
    """``{(kind, name, shape): [entries]}``: two networks may have parameters of one name."""
    found: dict = {}
    for one in next(one for one in looks if one.step == step).parameters:
        if one.digest and _is_whole(one):
            found.setdefault((_kind(one), one.name, tuple(one.shape)), []).append(one)
    return found


def _aligned(ranks: list) -> list:
    """``{(kind, name, shape, number): entry}`` of each rank. Of several entries of one name each is put beside that of the first
    rank which it lies nearest to, as ranks may have come to know the networks in another order."""
    tables: list = [{} for _ in ranks]
    for key, firsts in ranks[0].items():
        for table, held in zip(tables, ranks):
            left = list(held.get(key, []))
            for number, first in enumerate(firsts[: len(left)]):
                apart = [_apart(one, first) for one in left] if len(left) > 1 else [0.0]
                numbered = (*key, number)
                table[numbered] = left.pop(int(np.argmin(apart)))
    return tables


def _apart(one: Fact, other: Fact) -> float:
    """The distance of two parameters as their projections tell."""
    if one.digest == other.digest:
        return 0.0
    return float(np.sqrt(np.mean((np.array(one.projections, float) - np.array(other.projections, float)) ** 2)))


def _is_whole(one: Fact) -> bool:
    """Whether its projections are numbers: those of weights that are NaN or infinite are not."""
    return one.norm is not None and bool(one.projections) and None not in one.projections


def _kind(one: Fact) -> str:
    """``weight``, ``statistic``, ``optimizer``, or ``rate``: the learning rate that an optimizer holds."""
    return "rate" if one.kind == "optimizer" and "learning_rate" in (one.name or "") else one.kind


def _names(tables: list, kind: str) -> list:
    """What all ranks have of a kind, in order."""
    return [key for key in tables[0] if key[0] == kind and all(key in table for table in tables)]


def _drift(tables: dict, steps: list, kind: str, limit: float) -> Drift:
    first, last_equal, names = None, None, []
    for step in steps:
        differ = [key[1] for key in _names(tables[step], kind) if _distance(tables[step], key) > limit]
        if differ and first is None:
            first, names = step, differ
        if not differ:
            last_equal = step if first is None else last_equal
    at_end = tables[steps[-1]]
    distances = [_distance(at_end, key) for key in _names(at_end, kind)]
    farthest, typical = max(distances), float(np.median(distances))
    return Drift(len(distances), steps, last_equal, first, names, farthest, farthest > limit, typical)


def _distance(tables: list, key: tuple) -> float:
    """The largest distance between two ranks' values over the norm, as the projections tell (Johnson & Lindenstrauss 1984)."""
    entries: list[Fact] = [table[key] for table in tables]
    if len({one.digest for one in entries}) == 1:
        return 0.0
    apart = [_apart(one, entries[0]) for one in entries[1:]]
    norm = max([one.norm or 0.0 for one in entries] + [1e-12])
    return float(max(apart) / norm)
