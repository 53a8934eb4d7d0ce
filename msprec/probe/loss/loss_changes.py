"""Whether a loss changes where parts of its batch are replaced: with the weights of the end and with weights moved at random from
there, as what holds for both is how the network is made, and no chance of its weights."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.data.target_in_inputs import batch_loss
from msprec.probe.training.learning_rate_probe import Cannot
from msprec.record.nested import replaced, tensors_in
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.rng_state import random_state

#: Relative difference of two losses up to which nothing has changed (float32 sums in another order), and from which on it has.
_SAME, _OTHER = 1e-5, 1e-3
#: By how much weights are moved, in their standard deviations; the least deviation that is taken, for those that begin at 0.
_MOVED, _LEAST = 0.3, 0.3


class LossChanges:
    """Losses of a batch with some of its arrays replaced, with the same draws of random numbers."""

    def __init__(self, material, batch: tuple, until: float) -> None:
        self._material, self.batch, self._state, self._until = material, batch, random_state(False), until
        self._plain: dict = {}

    def same(self, new: dict) -> Optional[bool]:
        """Whether the loss stays as it is with ``{id(tensor): array}``, with either weights; None: neither that nor another."""
        seen = [self._difference(new, moved) for moved in (False, True)]
        if any(one is None for one in seen):
            return None
        if all(one <= _SAME for one in seen):
            return True
        return False if all(one >= _OTHER for one in seen) else None

    def unchanged(self, new: dict) -> bool:
        """Whether the loss stays as it is with ``{id(tensor): array}``, with either weights."""
        return all((one := self._difference(new, moved)) is not None and one <= _SAME for moved in (False, True))

    def _difference(self, new: dict, moved: bool) -> Optional[float]:
        from mindspore import Tensor

        if busy_seconds() > self._until:
            raise Cannot("slow")
        change = _moved if moved else None
        if moved not in self._plain:
            self._plain[moved] = batch_loss(self._material, self.batch, self._state, change)
        other = self.batch
        for one in list(tensors_in(self.batch)):
            if id(one) in new:
                other = replaced(other, one, Tensor(new[id(one)], one.dtype))
        plain, value = self._plain[moved], batch_loss(self._material, other, self._state, change)
        if plain is None or value is None or not np.isfinite([plain, value]).all():
            return None
        return abs(value - plain) / max(abs(plain), 1e-6)


def _moved(parameters: list) -> dict:
    """``{id(parameter): array}`` of the trainable parameters, moved at random."""
    rng, found = np.random.default_rng(5), {}
    for one in parameters:
        value = to_numpy(one)
        if getattr(one, "requires_grad", False) and value.dtype.kind == "f":
            by = _MOVED * max(float(value.std()), _LEAST) * rng.standard_normal(value.shape)
            found[id(one)] = (value + by).astype(value.dtype)
    return found
