"""What a run leaves for probes: the first batches that its training step was called with, and how to run that step again."""

import contextlib
from collections.abc import Iterator
from typing import Callable, Optional

from msprec.record.nested import flatten
from msprec.runtime.cells import all_parameters, walk
from msprec.runtime.closure_scan import Bindings, reached_from

#: So many batches are held, and so many bytes of them.
MOST_BATCHES, MOST_BYTES = 64, 64 << 20
#: Weights and optimizer states of more bytes are not copied.
MOST_INITIAL = 256 << 20


class Material:
    """Holds references to the batches as the script made them; nothing is copied while it runs.

    ``build(batch)`` makes a `ReplayedStep`; ``roots`` are the networks, ``optimizers`` those of the step; ``style`` is
    "cell", "jit" or "functional"; ``function`` is the user's function, where the step is one.
    """

    def __init__(self) -> None:
        self.batches, self._bytes = [], 0
        #: Whether no more batches are taken
        self.full = False
        self.build: Optional[Callable] = None
        self.roots, self.optimizers, self.style, self.function, self.cell = (), (), None, None, None
        #: ``{id(parameter): array}`` of networks and optimizers before the first step; None where they are too large
        self.initial: Optional[dict] = None
        #: ``(cell, whether it was in training mode)`` of all cells at that step; the script may have evaluated since
        self.modes: list = []
        #: What the names in the step's functions meant then; the script may have bound them anew since
        self.bindings: Optional[Bindings] = None
        #: What a functional loop's optimizer was given after the first forward pass, as it is
        self.given = None

    def offer(self, style: str, batch: tuple, build: Callable, roots, optimizers, function=None, cell=None) -> None:
        """A training step begins; the first that computes decides which step is held."""
        if self.full:
            return
        if self.build is None:
            self.style, self.build, self.roots = style, build, tuple(roots)
            self.optimizers, self.function, self.cell = tuple(optimizers), function, cell
            self.initial = _copies([*roots, *optimizers, *([cell] if cell is not None else [])])
            self.modes = _modes([*roots, *([cell] if cell is not None else [])])
            self.bindings = Bindings(reached_from(function).functions) if function is not None else None
        elif style != self.style or [id(root) for root in roots] != [id(root) for root in self.roots]:
            return  # another step of the same script
        size = sum(_bytes(value) for value in flatten(batch))
        if self.batches and self._bytes + size > MOST_BYTES:
            self.full = True
            return
        self.batches.append(tuple(batch))
        self._bytes += size
        self.full = len(self.batches) >= MOST_BATCHES

    def as_bound(self) -> contextlib.AbstractContextManager:
        """The names in the step's functions as they were when it was taken; put back afterwards."""
        return self.bindings.as_they_were() if self.bindings is not None else contextlib.nullcontext()

    @contextlib.contextmanager
    def as_in_training(self) -> Iterator[None]:
        """Every cell in the mode that it had when its step was taken; put back afterwards."""
        changed = [(cell, cell.training) for cell, training in self.modes if bool(cell.training) != training]
        for cell, training in changed:
            cell.add_flags(training=not training)
        try:
            yield
        finally:
            for cell, training in changed:
                cell.add_flags(training=training)

    def updates(self, optimizer, gradients=None) -> None:
        """A functional loop calls ``optimizer`` with ``gradients``: it is known only once the first step ends."""
        if self.style != "functional" or any(optimizer is one for one in self.optimizers):
            return
        if self.initial is not None and len(self.batches) == 1:
            self.initial.update(_copies([optimizer], known=self.initial) or {})
            self.given = gradients
        self.optimizers = (*self.optimizers, optimizer)


def _modes(roots: list) -> list:
    cells = {id(cell): cell for root in roots if hasattr(root, "_cells") for _, cell in walk(root)}
    return [(cell, bool(cell.training)) for cell in cells.values()]


def _copies(roots: list, known=()) -> Optional[dict]:
    """Copies of all parameters below ``roots`` but the ``known``, up to `MOST_INITIAL` bytes."""
    parameters = [p for p in all_parameters(roots) if id(p) not in known]
    if sum(_bytes(p) for p in parameters) > MOST_INITIAL:
        return None
    return {id(p): p.asnumpy().copy() for p in parameters}


def _bytes(value) -> int:
    return int(getattr(value, "nbytes", 0) or 0) if hasattr(value, "dtype") else 0
