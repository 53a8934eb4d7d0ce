"""What a training step was called with beside what the pipeline had just delivered, row by row."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.nested import tensors_in

#: Rows are compared by so many elements, evenly spread.
_ELEMENTS = 256
#: So many of the captured batches are compared.
MOST_BATCHES = 16


def received_facts(material) -> Optional[dict]:
    """The entry ``received`` of ``probes.json``; None where no pipeline delivered the batches.

    Args:
        material: What the run has left, with what was delivered before each of its batches.
    """
    pairs = [(one, batch) for one, batch in zip(material.delivered, material.batches) if one][:MOST_BATCHES]
    if not pairs:
        return None
    found = {"batches": len(pairs), "permuted": [], "zeroed": []}
    for name in pairs[0][0]:
        zeroed = [_is_zeroed(columns.get(name), batch) for columns, batch in pairs]
        if all(zeroed):
            found["zeroed"].append(name)
    by_pair: dict = {}
    for columns, batch in pairs:
        for key in _permuted_against(columns, batch):
            by_pair[key] = by_pair.get(key, 0) + 1
    found["permuted"] = [{"rows": a, "against": b, "batches": n} for (a, b), n in by_pair.items()]
    return found


def _rows(array: np.ndarray) -> np.ndarray:
    """(samples, elements) as float64."""
    flat = array.reshape(len(array), -1)
    return flat[:, :: max(1, flat.shape[1] // _ELEMENTS)].astype(np.float64)


def _arrays(batch: tuple) -> list:
    arrays = [to_numpy(one) for one in tensors_in(batch)]
    return [one for one in arrays if one.ndim and one.dtype.kind in "fiub"]


def _is_zeroed(column: Optional[np.ndarray], batch: tuple) -> bool:
    """Whether an input has the column's shape and is zero throughout, though the column is not, and none is the column."""
    if column is None or column.dtype.kind not in "fiu" or column.ndim < 2 or not column.any():
        return False
    same = [one for one in _arrays(batch) if one.shape == column.shape]
    return bool(same) and not any(one.any() for one in same)


def _permuted_against(columns: dict, batch: tuple) -> list:
    """``(column, other)``: the step received the rows of one column in another order, and those of the other not in that one."""
    usable = {n: c for n, c in columns.items() if c.ndim and c.dtype.kind in "fiub" and len(c) > 3}
    inputs, found = _arrays(batch), []
    for name, column in usable.items():
        order = next((p for one in inputs if (p := _order(_rows(column), one)) is not None), None)
        if order is None or (order == np.arange(len(order))).all():
            continue
        for other, values in usable.items():
            if other == name or len(values) != len(column):
                continue
            rows = _rows(values)
            received = [_rows(one) for one in inputs if one.shape[:1] == values.shape[:1] and one.size == values.size]
            as_wanted = any(np.array_equal(one, rows[order]) for one in received)
            as_delivered = any(np.array_equal(one, rows) for one in received)
            if as_delivered and not as_wanted:
                found.append((name, other))
    return found


def _order(rows: np.ndarray, given: np.ndarray) -> Optional[np.ndarray]:
    """The order in which an input holds the rows, which have to differ; None: it holds others."""
    if given.shape[0] != len(rows) or given.size % len(rows):
        return None
    others = _rows(given)
    if others.shape != rows.shape:
        return None
    first, second = {row.tobytes(): at for at, row in enumerate(rows)}, [row.tobytes() for row in others]
    if len(first) < len(rows) or not all(key in first for key in second) or len(set(second)) < len(rows):
        return None
    return np.array([first[key] for key in second])
