"""What tells the replicas of a data-parallel training apart: digests of parameters before some steps, the same on every rank."""

import hashlib

import numpy as np

from msprec.observe.data.datasets import to_array
from msprec.record.time_budget import Budget

#: Projections of a parameter, from which the distance of two replicas is estimated; elements of it that are looked at.
PROJECTIONS, MOST_ELEMENTS = 4, 1 << 17
#: Share of the run's time that looking may take, and seconds that are free.
SHARE, GRACE = 0.002, 0.1


class ReplicaObserver:
    """Looks before steps 1, 2, 3, 4, 6, 8, 12, 16, 24, … and at the end.

    Args:
        observer: The run's observer.
    """

    def __init__(self, observer) -> None:
        self._observer, self._wanted = observer, observer.rank_size > 1
        self._budget, self._looks, self._signs = Budget(SHARE, grace=GRACE), [], {}

    def before(self, step: int) -> None:
        """Step ``step`` of the run begins."""
        if not self._wanted or not _is_due(step) or not self._budget.due():
            return
        with self._budget.spending():
            self._looks.append((step, self._look()))

    def facts(self, steps: int):
        """``replicas.json`` after ``steps`` steps; None of a run of one process."""
        if not self._wanted or not self._looks:
            return None
        looks = [*self._looks, (steps + 1, self._look())]
        return {"looks": [{"step": step, "parameters": entries} for step, entries in looks]}

    def _look(self) -> list:
        observer, entries, seen = self._observer, [], set()
        for parameter, _, _, _, _, _ in observer.parameters.entries.values():
            seen.add(id(parameter))
            if getattr(parameter, "layerwise_parallel", False):
                continue  # a slice of its own
            entries.append(self._entry(parameter, "weight" if parameter.requires_grad else "statistic"))
        for optimizer, _ in observer.optimizers.first_updates.values():
            for parameter in optimizer.get_parameters():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    entries.append(self._entry(parameter, "optimizer"))
        return [one for one in entries if one is not None]

    def _entry(self, parameter, kind: str):
        values = to_array(parameter)
        if values is None or not values.size or values.dtype.kind not in "fiub":
            return None
        flat = np.ascontiguousarray(values).reshape(-1)
        part = flat[:: max(1, flat.size // MOST_ELEMENTS)][:MOST_ELEMENTS]
        numbers = part.astype(np.float64)
        signs = self._signs_for(numbers.size)
        return {
            "name": parameter.name,
            "shape": list(parameter.shape),
            "kind": kind,
            "digest": hashlib.blake2b(part.tobytes(), digest_size=8).hexdigest(),
            "norm": float(np.linalg.norm(numbers)),
            "projections": [float(one @ numbers) for one in signs],
        }

    def _signs_for(self, size: int) -> np.ndarray:
        """Signs drawn by the size alone, the same on every rank."""
        if size not in self._signs:
            own = np.random.default_rng(size)
            self._signs[size] = own.integers(0, 2, (PROJECTIONS, size), np.int8) * np.int8(2) - np.int8(1)
        return self._signs[size]


def _is_due(step: int) -> bool:
    """Whether a step is a power of two or three times one."""
    step //= 3 if step % 3 == 0 else 1
    return step > 0 and not step & (step - 1)
