"""What the optimizer of a functional loop was given at some updates, and the batches that its gradients are to be made of."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.record.nested import tensors_in
from msprec.record.time_budget import Budget
from msprec.runtime.cells import all_parameters, is_optimizer_class
from msprec.runtime.source_locations import user_place

#: Gradients of more bytes are not copied, nor are batches of more held; more gradient computations are not run again.
MOST_BYTES, MOST_PARTS = 32 << 20, 32
#: Share of the training's time that copies may take, and seconds that are free.
SHARE, GRACE = 0.002, 0.1


class CapturedUpdate(NamedTuple):
    """``batches``: what each gradient computation since the update before was called with, or the last of them alone where they
    were too many; ``parts``: how many there were; ``weights``: ``{id(parameter):
    array}`` before the update; ``given`` and ``before``: arrays of the gradients of this update and of the
    one before."""

    number: int
    batches: list
    weights: dict
    given: list
    before: list
    parts: int


class CapturedUpdates:
    """Copies at updates 2, 4, 16, 64, …; the first and the last are held."""

    def __init__(self, before: int = 0) -> None:
        self.held: list[CapturedUpdate] = []
        #: Updates of earlier trainings of the run
        self._earlier = before
        #: The first optimizer that makes an update, and the line that calls it
        self.optimizer, self.place = None, None
        self._made, self._since, self._parts, self._bytes, self._before = 0, [], 0, 0, None
        #: Whether the update to come is to be captured
        self._wanted = False
        self._budget = Budget(SHARE, grace=GRACE)

    def forward(self, batch: tuple) -> None:
        """A gradient computation of the step begins."""
        if not self._wanted:
            return
        self._parts += 1
        self._bytes += sum(int(getattr(value, "nbytes", 0) or 0) for value in tensors_in(batch))
        if self._parts > MOST_PARTS or self._bytes > MOST_BYTES:
            self._since.clear()
        self._since.append(tuple(batch))

    def update(self, optimizer, gradients, roots=()) -> None:
        """An optimizer is about to be called; ``roots``: the networks and optimizers of the step; another optimizer may update
        the rest of the networks."""
        if self.optimizer is None:
            self.optimizer, self.place = optimizer, user_place()
        if optimizer is not self.optimizer:
            return
        self._made += 1
        batches, self._since = self._since, []
        parts, self._parts, self._bytes = self._parts, 0, 0
        before, self._before = self._before, None
        due, self._wanted = self._wanted, _is_due(self._made + 1)
        if not (due or self._wanted) or not self._budget.due():
            return
        tensors = list(tensors_in(gradients))
        for tensor in tensors[-1:]:
            tensor.asnumpy()  # waits for what was launched before: that time is the training's own
        with self._budget.spending():
            given = _copies(tensors)
            if due and before is not None and given is not None and batches:
                weights = _weights(optimizer, [root for root in roots if not is_optimizer_class(type(root))])
                number = self._earlier + self._made
                self.held = [*self.held[:1], CapturedUpdate(number, batches, weights, given, before, parts)]
            self._before = given if self._wanted else None


def _weights(optimizer, networks) -> dict:
    """``{id(parameter): array}`` of the optimizer and, where they hold no more than `MOST_BYTES`, of the networks."""
    own, others = list(optimizer.parameters), all_parameters(networks)
    held = [*own, *others] if sum(int(p.nbytes) for p in others) <= MOST_BYTES else own
    return {id(p): p.asnumpy().copy() for p in {id(p): p for p in held}.values()}


def _is_due(update: int) -> bool:
    """Whether an update is the second or a power of four."""
    return update == 2 or (update > 2 and not update & (update - 1) and update.bit_length() % 2 == 1)


def flat_gradients(gradients) -> Optional[np.ndarray]:
    """All gradients in one array of float64; None where there are none."""
    tensors = list(tensors_in(gradients))
    return joined([_values(tensor) for tensor in tensors]) if tensors else None


def joined(arrays: list) -> np.ndarray:
    """The arrays in one of float64."""
    return np.concatenate([np.asarray(one, np.float64).reshape(-1) for one in arrays])


def _copies(tensors: list) -> Optional[list]:
    """Copies of the gradients as they are; None where there are none, or more than `MOST_BYTES` of them."""
    if not tensors or sum(int(one.nbytes) for one in tensors) > MOST_BYTES:
        return None
    return [_values(one).copy() for one in tensors]


def _values(tensor) -> np.ndarray:
    values = tensor.float() if str(tensor.dtype) == "BFloat16" else tensor
    return values.asnumpy()
