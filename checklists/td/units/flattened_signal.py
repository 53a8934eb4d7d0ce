"""Sigmoids between layers that leave next to nothing of what differs between samples before the first step (td.03)."""

from msprec.checklists.td.units.lost_units import Lost, Moments
from msprec.engine.run_data import RunData


def flattened_signal(run_data: RunData, moments: Moments) -> list:
    """The sigmoids between layers, where there are td.03.flat_sigmoids or more, what the last layer gave at the start changed
    with the samples by less than td.03.flattened of what the first gave, and nothing or hardly anything was learnt; else none.

    The slope of a sigmoid is a quarter at most, so that each takes three quarters of the signal and of its gradient (Glorot and
    Bengio 2010).
    """
    ranges = [size for _, size in moments.start_ranges()]
    seen = [entry for entry, earlier in moments.courses() if any(earlier[:1])]
    between = [entry for entry in seen if entry.kind == "sigmoid" and entry.hidden and not entry.gate]
    if len(between) < run_data.limit("td.03.flat_sigmoids") or len(ranges) < 2 or not ranges[0] > 0:
        return []
    share = ranges[-1] / ranges[0]
    return [Lost("flattened", one, "start", share) for one in between if share < run_data.limit("td.03.flattened")]
