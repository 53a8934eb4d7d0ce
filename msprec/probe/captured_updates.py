"""What the optimizer of a functional loop was given at some updates, and the batches that its gradients are to be made of."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.record.nested import tensors_in
from msprec.record.time_budget import Budget
from msprec.runtime.source_locations import user_place

#: Gradients of more bytes are not copied, nor are batches of more held; more gradient computations are not run again.
MOST_BYTES, MOST_PARTS = 32 << 20, 32
#: Share of the training's time that copies may take, and seconds that are free: the first waits for what was launched before.
SHARE, GRACE = 0.002, 0.3


class CapturedUpdate(NamedTuple):
    """``batches``: what each gradient computation since the update before was called with; ``weights``: ``{id(parameter):
    array}`` before the update; ``given`` and ``before``: the gradients of this update and of the one before, flat."""

    number: int
    batches: list
    weights: dict
    given: np.ndarray
    before: np.ndarray


class CapturedUpdates:
    """Copies at updates 2, 4, 8, …; the first and the last are held."""

    def __init__(self) -> None:
        self.held: list[CapturedUpdate] = []
        #: The first optimizer that makes an update, and the line that calls it
        self.optimizer, self.place = None, None
        self._made, self._since, self._bytes, self._before = 0, [], 0, None
        self._budget = Budget(SHARE, grace=GRACE)

    def forward(self, batch: tuple) -> None:
        """A gradient computation of the step begins."""
        self._bytes += sum(int(getattr(value, "nbytes", 0) or 0) for value in tensors_in(batch))
        if len(self._since) <= MOST_PARTS and self._bytes <= MOST_BYTES:
            self._since.append(tuple(batch))

    def update(self, optimizer, gradients) -> None:
        """An optimizer is about to be called."""
        if self.optimizer is None:
            self.optimizer, self.place = optimizer, user_place()
        if optimizer is not self.optimizer:
            return
        self._made += 1
        batches, self._since = self._since, []
        whole, self._bytes = self._bytes <= MOST_BYTES, 0
        before, self._before = self._before, None
        due, next_due = not self._made & (self._made - 1), not self._made & (self._made + 1)
        if not (due or next_due) or not self._budget.due():
            return
        with self._budget.spending():
            given = flat_gradients(gradients, MOST_BYTES)
            if due and before is not None and given is not None and whole and 0 < len(batches) <= MOST_PARTS:
                weights = {id(p): p.asnumpy().copy() for p in optimizer.parameters}
                self.held = [*self.held[:1], CapturedUpdate(self._made, batches, weights, given, before)]
            self._before = given if next_due else None


def flat_gradients(gradients, most: Optional[int] = None) -> Optional[np.ndarray]:
    """All gradients in one array of float64; None where there are none, or more than ``most`` bytes of them."""
    tensors = list(tensors_in(gradients))
    if not tensors or (most is not None and sum(int(t.nbytes) for t in tensors) > most):
        return None
    return np.concatenate([_values(tensor) for tensor in tensors])


def _values(tensor) -> np.ndarray:
    values = tensor.float() if str(tensor.dtype) == "BFloat16" else tensor
    return values.asnumpy().astype(np.float64).reshape(-1)
