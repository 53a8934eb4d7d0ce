"""Parameters before the first training step and at the end."""

import hashlib
import math
from typing import Optional

import numpy as np

from msprec.observe.data.datasets import to_array
from msprec.observe.network.loaded_weights import sample_of
from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import is_builtin, parameters_of

# copies of the initial values are kept up to this many bytes in all; beyond it a strided sample of each parameter
COPY_BYTES = 1 << 30
SAMPLE = 65536
#: Relative difference up to which units are alike: rounding adds up over a training.
_ALIKE = 1e-3
#: What rounding adds up to over hundreds of updates, relative to the values: half a unit of float32 (6e-8) a step at most.
_ROUNDED = 1e-5
_NORM_CELLS = ("BatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm", "RmsNorm", "RMSNorm")


def _kind(name: str, parameter, cell_class: str) -> str:
    last = name.rsplit(".", 1)[-1]
    if last in ("moving_mean", "moving_variance", "running_mean", "running_var", "num_batches_tracked"):
        return "statistic"
    if last in ("gamma", "beta") or (any(n in cell_class for n in _NORM_CELLS) and last in ("weight", "bias")):
        return "norm"
    if last in ("bias", "b") or last.startswith(("bias_", "b_ih", "b_hh")):
        return "bias"
    return "weight" if parameter.dtype is not None and "Float" in str(parameter.dtype) else "other"


def statistics(values: np.ndarray) -> Optional[dict]:
    """min, max, mean, std (float64), share of zeros, whether constant, count of non-finite values."""
    if not values.size or values.dtype.kind not in "fiub":
        return None
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values.reshape(-1)
    bad = int(values.size - finite.size)
    if not finite.size:
        return {"min": None, "max": None, "mean": None, "std": None, "zeros": 0.0, "constant": False, "nonfinite": bad}
    low, high = float(finite.min()), float(finite.max())
    return {
        "min": low,
        "max": high,
        "mean": float(finite.mean(dtype=np.float64)),
        "std": float(finite.std(dtype=np.float64)),
        "zeros": 1.0 - float(np.count_nonzero(finite)) / finite.size,
        "constant": low == high and not bad,
        "nonfinite": bad,
    }


def alike(values: np.ndarray) -> bool:
    """Whether all rows of a weight, or all its columns, are the same to within `_ALIKE` of the largest value: units that began
    alike and stayed so."""
    nearly = _ALIKE * float(np.abs(values).max(initial=0.0))
    return any(bool((np.ptp(values, axis=axis) <= nearly).all()) for axis in (0, 1) if values.shape[axis] > 1)


def _with_digest(values: np.ndarray) -> Optional[dict]:
    """The same with ``digest``, 64 bits of the values' bytes in hexadecimal."""
    found = statistics(values)
    if found is not None:
        found["digest"] = hashlib.blake2b(np.ascontiguousarray(values).tobytes(), digest_size=8).hexdigest()
    return found


def _moved(before: np.ndarray, after: np.ndarray) -> dict:
    a, b = before.astype(np.float64).reshape(-1), after.astype(np.float64).reshape(-1)
    change = b - a
    norm, size = float(np.linalg.norm(a)), float(np.linalg.norm(change))
    return {
        "max_abs": float(np.abs(change).max()) if change.size else 0.0,
        "relative": size / norm if norm else (None if size else 0.0),
        "any": not np.array_equal(before, after, equal_nan=before.dtype.kind == "f"),
        "proportional": _is_multiple(a, b, size),
    }


def _is_multiple(a: np.ndarray, b: np.ndarray, change: float) -> bool:
    """Whether ``b`` is ``a`` times one factor in (0, 1) to within one per cent of the change, or what many updates lose by
    rounding: the mark of weight decay alone."""
    square = float(a @ a)
    if a.size < 2 or not square or not change or not np.isfinite(change):
        return False
    factor = float(a @ b) / square
    tolerance = max(0.01 * change, min(_ROUNDED * math.sqrt(square), 0.2 * change))
    return 0 < factor < 1 and float(np.linalg.norm(b - factor * a)) <= tolerance


class ParameterObserver:
    """Takes the initial values at the first training step and compares at the end.

    ``digests``: with a digest of the values, by which ranks are compared; ``most_bytes``: of copies, beyond which samples are
    kept.
    """

    def __init__(self, digests: bool = False, most_bytes: int = COPY_BYTES) -> None:
        self._digests, self._most_bytes = digests, most_bytes
        self.entries, self.copied, self.initial_step = {}, 0, None
        # id → (name, a few of the values before the first step), for telling whether loaded weights are still there
        self.samples = {}

    def __bool__(self) -> bool:
        return bool(self.entries)

    def note(self, roots: list, extra: list, step: int) -> None:
        """Remembers the parameters of ``roots`` (cells) and ``extra`` (an optimizer's own list) not yet known."""
        if self.initial_step is None:
            self.initial_step = step
        for root in roots:
            for path, parameter, cell_path, cell in parameters_of(root):
                self._add(parameter, path, cell_path, cell)
        for parameter in extra:
            self._add(parameter, parameter.name, parameter.name.rpartition(".")[0], None)

    def _add(self, parameter, path: str, cell_path: str, cell) -> None:
        if id(parameter) in self.entries:
            return
        values, compared, initial = None, "all", None
        if not getattr(parameter, "has_init", False):
            values = to_array(parameter)
        if values is not None:
            sample = sample_of(values) if values.size and values.dtype.kind in "fiub" else None
            self.samples[id(parameter)] = (parameter.name, sample)
            if self.copied + values.nbytes > self._most_bytes:
                initial = self._described(parameter, values)
                values, compared = _sample(values), "sample"
            values = np.array(values)
            self.copied += values.nbytes
        place = created_place(cell) if cell is not None and is_builtin(type(cell)) else None
        owner = (cell_path, type(cell).__name__ if cell is not None else "", place)
        self.entries[id(parameter)] = (parameter, path, owner, initial, values, compared)

    def _described(self, parameter, values: np.ndarray) -> Optional[dict]:
        # a layerwise parallel parameter is each rank's own
        own = getattr(parameter, "layerwise_parallel", False)
        return _with_digest(values) if self._digests and not own else statistics(values)

    def _prefixed_copies(self) -> set:
        """Ids of the parameters that were made as ``weights.clone(prefix=...)`` of others: what a training step keeps beside
        the weights (sums of gradients, moving averages)."""
        return {
            id(copy)
            for parameter, *_ in self.entries.values()
            for copy in getattr(getattr(parameter, "param_info", None), "cloned_obj", None) or ()
            if copy.name.endswith(f".{parameter.name}")
        }

    def _named_after_weights(self, optimized: set) -> set:
        """Ids of the frozen parameters of the user's own cells that have the shape of an optimized one and its name with
        something before or after it: sums of gradients and averages that a training step keeps, written out by hand."""
        names: dict = {}
        for key, (parameter, *_) in self.entries.items():
            if key in optimized:
                names.setdefault(tuple(parameter.shape), []).append(parameter.name)
        return {
            key
            for key, (parameter, _, owner, *_) in self.entries.items()
            if key not in optimized and not parameter.requires_grad and owner[2] is None
            for name in names.get(tuple(parameter.shape), ())
            if parameter.name.endswith((f".{name}", f"_{name}")) or parameter.name.startswith((f"{name}.", f"{name}_"))
        }

    def facts(self, optimized: Optional[set], step: int, read_final: bool) -> dict:
        """``optimized``: ids of the parameters that some used optimizer has, or None when no optimizer was seen."""
        listed, copies = [], self._prefixed_copies() | self._named_after_weights(optimized or set())
        for key, (parameter, path, owner, initial, before, compared) in self.entries.items():
            cell_path, cell_class, place = owner
            if initial is None and before is not None:
                initial = self._described(parameter, before)
                self.entries[key] = (parameter, path, owner, initial, before, compared)
            final = moved = None
            if read_final and before is not None:
                after = to_array(parameter)
                final = self._described(parameter, after)
                if final is not None and initial is not None and initial["constant"] and after.ndim > 1:
                    final["alike"] = alike(after)
                after = after if compared == "all" else _sample(after)
                moved = _moved(before, after) if after.shape == before.shape else None
            kind = _kind(parameter.name, parameter, cell_class)
            if key in copies and optimized is not None and key not in optimized:
                kind = "statistic"
            listed.append(
                {
                    "name": parameter.name,
                    "path": path,
                    "shape": list(parameter.shape),
                    "dtype": str(parameter.dtype),
                    "size": int(parameter.size),
                    "requires_grad": bool(parameter.requires_grad),
                    "in_optimizer": None if optimized is None else key in optimized,
                    "cell": cell_path,
                    "cell_class": cell_class,
                    "kind": kind,
                    "initial": initial,
                    "final": final,
                    "moved": moved,
                    "compared": compared,
                    "created": place,
                }
            )
        return {
            "parameters": listed,
            "observed": {
                "initial_step": self.initial_step,
                "final_step": step if read_final else None,
                "from_optimizer": optimized is not None,
            },
        }


def _sample(values: np.ndarray) -> np.ndarray:
    flat = values.reshape(-1)
    return flat[:: max(1, flat.size // SAMPLE)][:SAMPLE]
