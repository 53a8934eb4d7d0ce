"""How much of the weight of each softmax over the places of a sequence, and of each mean over them, lies on padding.

A mask that hides padding leaves none there; one that is the wrong way round leaves all of it there, and the results no longer
depend on the real elements of a padded sequence. A mean without a mask is that of the padding where this is most of it.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.attainable_range import plain_name
from msprec.probe.connectivity_trace import place_of
from msprec.probe.inference_trace import InferenceTraces
from msprec.record.nested import tensors_in

#: Shortest sequence, fewest padded samples, fewest lengths of padding, and largest weights that are looked at, in elements.
_SHORTEST, _SAMPLES, _LENGTHS, _LARGEST = 4, 4, 3, 1 << 22
#: A sum's distance from one.
_CLOSE = 1e-2


def attended_padding(traces: InferenceTraces) -> Optional[dict]:
    """The entry ``attended_padding`` of ``probes.json``; None where no sequence of whole numbers is padded.

    Args:
        traces: The step in inference mode.
    """
    given = tensors_in(traces.batches[0])
    padded = next((found for one in given if (found := padded_places(to_numpy(one))) is not None), None)
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
    return {"samples": int(padded.any(1).sum()), **kept, "masks": _masks(trace, padded)[:8]}


def padded_places(ids: np.ndarray) -> Optional[np.ndarray]:
    """(samples, places): where one value fills the rows up at their end, or at their beginning, and stands nowhere else."""
    if ids.ndim != 2 or ids.dtype.kind not in "iu" or ids.shape[1] < _SHORTEST:
        return None
    for turned in (ids[:, ::-1], ids):  # from the end, from the beginning
        values, counts = np.unique(turned[:, 0], return_counts=True)
        filled = turned == values[counts.argmax()]
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
    if weights.ndim < 2 or weights.shape[0] != samples or weights.shape[-1] != places or weights.size > _LARGEST:
        return None
    shares = to_numpy(weights).astype(np.float64)
    if np.abs(shares.sum(-1) - 1).max() > _CLOSE:
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
