"""How much of the weight of each softmax over the places of a sequence, and of each mean over them, lies on padding.

A mask that hides padding leaves none there; one that is the wrong way round leaves all of it there, and the results no longer
depend on the real elements of a padded sequence. A mean without a mask is that of the padding where this is most of it.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import place_of
from msprec.probe.steps.inference_trace import InferenceTraces
from msprec.record.nested import tensors_in

#: Shortest sequence, fewest padded samples, fewest lengths of padding, and largest weights that are looked at, in elements.
_SHORTEST, _SAMPLES, _LENGTHS, _LARGEST = 4, 4, 3, 1 << 22
#: A sum's distance from one; scores at or below which a softmax gives nothing beside usual ones.
_CLOSE, _HIDDEN = 1e-2, -1e4


def attended_padding(traces: InferenceTraces) -> Optional[dict]:
    """The entry ``attended_padding`` of ``probes.json``; None where no sequence is padded.

    Args:
        traces: The step in inference mode.
    """
    given = tensors_in(traces.batches[0])
    padded = next((found for one in given if (found := _padding(to_numpy(one))) is not None), None)
    if padded is None:
        return None
    trace = traces.of()
    softmaxes: dict = {}
    means: dict = {}
    for node in trace.nodes:
        name = plain_name(node)
        if "softmax" in name and "log" not in name and node.results:
            found, entry = softmaxes, _entry(node, padded)
        elif "mean" in name and node.results:
            found, entry = means, _mean(node, padded)
        else:
            continue
        if entry is not None:
            found.setdefault(f"{node.cell} {entry['place']}", entry)  # one line serves several cells of a class
    kept = {name: list(one.values())[:8] for name, one in (("softmaxes", softmaxes), ("means", means))}
    rest = {"masks": _masks(trace, padded)[:8], "hiding": _hiding(trace, padded)[:8]}
    return {"samples": int(padded.any(1).sum()), **kept, **rest}


def _padding(array: np.ndarray) -> Optional[np.ndarray]:
    """`padded_places` of token ids, and of sequences of vectors that zeros fill up."""
    if array.ndim == 3 and array.dtype.kind == "f":
        return padded_places((array != 0).any(-1).astype(np.int32), 0)
    return padded_places(array)


def padded_places(ids: np.ndarray, filler: Optional[int] = None) -> Optional[np.ndarray]:
    """(samples, places): where one value fills the rows up at their end, or at their beginning, and stands nowhere else.

    Args:
        ids: (samples, places), whole numbers; of others None.
        filler: The value; None: the most frequent one at that end.
    """
    if ids.ndim != 2 or ids.dtype.kind not in "iu" or ids.shape[1] < _SHORTEST:
        return None
    for turned in (ids[:, ::-1], ids):  # from the end, from the beginning
        values, counts = np.unique(turned[:, 0], return_counts=True)
        filled = turned == (values[counts.argmax()] if filler is None else filler)
        run = np.cumprod(filled, axis=1).astype(bool)
        lengths = run.sum(1)
        enough = (lengths > 1).sum() >= _SAMPLES and len(np.unique(lengths)) >= _LENGTHS and not run.all(1).any()
        if enough and not filled[~run].any():
            return run[:, ::-1] if turned is not ids else run
    return None


def _entry(node, padded: np.ndarray) -> Optional[dict]:
    """``least``: the smallest share of its weight that a real place of a padded sample gives to the padding."""
    weights = node.results[0]
    samples, places = padded.shape
    if weights.ndim < 2 or weights.shape[0] != samples or weights.size > _LARGEST:
        return None
    shares = _along_places(to_numpy(weights).astype(np.float64), places)
    if shares is None:
        return None
    some = padded.any(1)
    on_padding = (shares * padded.reshape(samples, *[1] * (shares.ndim - 2), places)).sum(-1)[some]
    if on_padding.ndim > 1 and on_padding.shape[-1] == places:
        real = np.broadcast_to((~padded[some]).reshape(-1, *[1] * (on_padding.ndim - 2), places), on_padding.shape)
        on_padding = on_padding[real]
    return {
        "operator": node.callee,
        "place": place_of(node),
        "least": float(on_padding.min()),
        "mean": float(on_padding.mean()),
        "even": float(padded[some].mean()),
    }


def _along_places(shares: np.ndarray, places: int) -> Optional[np.ndarray]:
    """The weights with the axis of the places along which they add up to one as the last; None of other weights."""
    axes = [axis for axis in range(1, shares.ndim) if shares.shape[axis] == places]
    axis = axes[-1] if axes else 0  # of queries and keys, the keys are last
    return np.moveaxis(shares, axis, -1) if axis and np.abs(shares.sum(axis) - 1).max() <= _CLOSE else None


def _masks(trace, padded: np.ndarray) -> list:
    """What marks as many places of each sample as are real, as a mask by lengths does: ``on_padding``, the share of these places
    that are padding."""
    found: dict = {}
    for node in trace.nodes:
        for one in (*node.inputs, *node.results):
            if tuple(s for s in getattr(one, "shape", ()) if s != 1) != padded.shape:
                continue
            marked = to_numpy(one).reshape(padded.shape)
            if np.isin(marked, (0, 1)).all() and (marked.sum(1) == (~padded).sum(1)).all():
                entry = {
                    "place": place_of(node),
                    "on_padding": float((marked * padded).sum() / marked.sum()),
                    "turned": bool((marked == ~padded[:, ::-1]).all()),
                }
                found.setdefault(str(entry["place"]), entry)
    return list(found.values())


def _hiding(trace, padded: np.ndarray) -> list:
    """What takes some places far below all others, as scores that a mask is added to: the shares of the ``real`` places and of
    the ``padding`` that are."""
    found: dict = {}
    for node in trace.nodes:
        for one in node.results:
            if tuple(s for s in getattr(one, "shape", ()) if s != 1) != padded.shape or "Float" not in str(one.dtype):
                continue
            low = to_numpy(one).reshape(padded.shape) <= _HIDDEN
            if low.any() and not low.all():
                shares = {"real": float(low[~padded].mean()), "padding": float(low[padded].mean())}
                found.setdefault(str(place_of(node)), {"place": place_of(node), **shares})
    return list(found.values())


def _mean(node, padded: np.ndarray) -> Optional[dict]:
    """``share``: of the sum of what a mean over the places of a sequence takes together, in absolute values, what padded
    places bring; None for other means."""
    given, made = next(iter(node.inputs), None), node.results[0]
    shape = tuple(getattr(given, "shape", ()))
    if len(shape) != 3 or shape[:2] != padded.shape or int(np.prod(shape)) > _LARGEST:
        return None
    if tuple(made.shape) not in ((shape[0], shape[2]), (shape[0], 1, shape[2])):
        return None
    sizes = np.abs(to_numpy(given).astype(np.float64)).sum(-1)
    total = sizes.sum()
    share = float(sizes[padded].sum() / total) if total > 0 else 0.0
    return {"operator": node.callee, "place": place_of(node), "share": share}
