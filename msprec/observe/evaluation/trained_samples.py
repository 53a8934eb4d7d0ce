"""Which samples the network is given after its last training step that were among its training samples."""

import time
from typing import Optional

import numpy as np

from msprec.observe.data.datasets import to_array
from msprec.observe.data.sample_order import sample_keys
from msprec.runtime.source_locations import user_stack

#: Samples whose fingerprints are kept of all evaluations since a step, rows that are kept of each to tell how they vary, and
#: elements of a row that are looked at.
_MOST_SAMPLES, _MOST_ROWS, _ELEMENTS = 1 << 15, 256, 64
#: Frames of the script's by which evaluations are told apart: one function may be called for several sets.
_FRAMES = 4
# seconds that it may take in all, and share of the run's time beyond them
_GRACE, _SHARE = 0.5, 0.005


class _Group:
    """What one place of the script evaluated."""

    def __init__(self) -> None:
        self.samples, self.keys, self.rows = 0, set(), []

    def add(self, array: np.ndarray) -> None:
        keys = sample_keys(array)
        self.samples += len(keys)
        self.keys.update(keys.tolist())
        kept = sum(map(len, self.rows))
        if kept < _MOST_ROWS:
            flat = array[: _MOST_ROWS - kept].reshape(min(len(array), _MOST_ROWS - kept), -1)
            self.rows.append(flat[:, :: max(1, flat.shape[1] // _ELEMENTS)][:, :_ELEMENTS].copy())

    def bits(self) -> Optional[float]:
        """The sum over columns of log2 of how many values each has among the rows; None: rows of several sizes.

        Few bits: samples that agree may do so by chance.
        """
        if len({one.shape[1] for one in self.rows}) != 1:
            return None
        rows = np.unique(np.concatenate(self.rows), axis=0)
        return float(sum(np.log2(len(np.unique(column))) for column in rows.T))


class TrainedSamples:
    """Fingerprints of the network's first floating-point input outside training, since the last step.

    Args:
        observer: The run's `Observer`.
    """

    def __init__(self, observer) -> None:
        self._observer = observer
        self._groups: dict = {}
        self._step, self._kept = -1, 0
        self._spent, self._began = 0.0, time.perf_counter()

    def called(self, args: tuple) -> None:
        """A network is called with ``args`` outside any gradient."""
        step = self._observer.steps.updated
        begin = time.perf_counter()
        if not step or self._spent > _GRACE + _SHARE * (begin - self._began):
            return
        if step != self._step:
            self._groups, self._step, self._kept = {}, step, 0
        first = next((one for one in args if _is_float(one)), None)
        if first is not None and self._kept < _MOST_SAMPLES:
            places, array = tuple(one[:2] for one in user_stack(2, _FRAMES)), to_array(first)
            # what another cell is given in the same line, as a metric is, are no samples of that size
            self._groups.setdefault((places, array[0].size), _Group()).add(array)
            self._kept += len(array)
        self._spent += time.perf_counter() - begin

    def facts(self) -> list:
        """The entry ``trained_samples`` of ``evaluation.json``."""
        trained = self._observer.datasets.trained_inputs()
        if not trained:
            return []
        return [
            {
                "places": [{"file": file, "line": line} for file, line in places],
                "samples": group.samples,
                "distinct": len(group.keys),
                "trained_on": len(group.keys & trained),
                "training": len(trained),
                "bits": group.bits(),
            }
            for (places, _), group in self._groups.items()
        ]


def _is_float(value) -> bool:
    shape = getattr(value, "shape", ())
    return hasattr(value, "asnumpy") and len(shape) > 1 and 0 not in shape and "Float" in str(value.dtype)
