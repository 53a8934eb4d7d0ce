"""What a run leaves for probes: the first batches that its training step was called with, and how to run that step again."""

import contextlib
import math
from collections.abc import Iterator
from typing import Callable, Optional

import numpy as np

from msprec.probe.steps.captured_updates import GRACE, CapturedUpdates
from msprec.record.nested import flatten
from msprec.record.time_budget import Budget
from msprec.runtime.cells import all_parameters, is_optimizer_class, unwrap, walk
from msprec.runtime.closure_scan import Bindings, reached_from

#: So many batches are held, and so many bytes of them.
MOST_BATCHES, MOST_BYTES = 64, 64 << 20
#: Weights and optimizer states of more bytes are not copied.
MOST_INITIAL = 256 << 20
#: Of later steps, at powers of two, so many batches are held and so many bytes of them.
MOST_LATER, MOST_LATER_BYTES = 6, 16 << 20
#: Weights of more bytes are not copied again in the course of the training; share of its time that copies may take.
MOST_COPIED, COPY_SHARE = 64 << 20, 0.002


class Material:
    """Holds references to the batches as the script made them; nothing is copied while it runs.

    ``build(batch)`` makes a `ReplayedStep`; ``roots`` are the networks, ``optimizers`` those of the step; ``style`` is
    "cell", "jit" or "functional"; ``function`` is the user's function, where the step is one.
    """

    def __init__(self, before: int = 0) -> None:
        #: Steps of the run that belong to earlier trainings
        self.before = before
        self.batches, self._bytes = [], 0
        #: What a pipeline had delivered just before each of them, ``{column: array}``; None: none had
        self.delivered: list = []
        #: Whether no more batches are taken
        self.full = False
        self.build: Optional[Callable] = None
        self.roots, self.optimizers, self.style, self.function, self.cell = (), (), None, None, None
        #: Trainable Parameters that stand in no cell and that the step's function reaches
        self.alone: list = []
        #: ``{id(parameter): array}`` of networks and optimizers before the first step; None where they are too large
        self.initial: Optional[dict] = None
        #: ``(cell, whether it was in training mode)`` of all cells at that step; the script may have evaluated since
        self.modes: list = []
        #: What the names in the step's functions meant then; the script may have bound them anew since
        self.bindings: Optional[Bindings] = None
        #: What a functional loop's optimizer was given after the first forward pass, as it is
        self.given = None
        #: Steps offered; batches of later ones; ``(step, {id(parameter): array})`` of the networks before later ones
        self.offered, self.later, self._copied = 0, [], []
        self._copying = Budget(COPY_SHARE, grace=GRACE)
        #: What the optimizer of a functional loop was given at some updates; the function of which its gradients are
        self.updates_held, self._forward = CapturedUpdates(before), None

    def offer(
        self,
        style: str,
        batch: tuple,
        build: Callable,
        roots,
        optimizers,
        function=None,
        cell=None,
        forward=None,
        delivered=None,
        alone=(),
    ) -> None:
        """A training step begins; the first that computes decides which step is held.

        ``forward``: the code of what a functional loop differentiates; ``alone``: its trainable Parameters in no cell;
        ``delivered()``: the columns that a pipeline has delivered last.
        """
        self.offered += 1
        if forward is not None:
            self._forward = self._forward or forward
            if forward is self._forward:
                self.updates_held.forward(batch)
        if not self.takes(style, roots, forward):
            return  # another step of the same script, such as the generator's beside the discriminator's
        if self.full:
            if not self.offered & (self.offered - 1):
                self._hold_later(batch)
            return
        if self.build is None:
            self.style, self.build, self.roots = style, build, tuple(roots)
            self.optimizers, self.function, self.cell = tuple(optimizers), function, cell
            self.alone = list(alone)
            self.initial = _copies([*roots, *optimizers, *([cell] if cell is not None else [])], alone=self.alone)
            self.modes = _modes([*roots, *([cell] if cell is not None else [])])
            self.bindings = Bindings(reached_from(function).functions) if function is not None else None
        elif not self.offered & (self.offered - 1):
            self._copy_weights()
        size = sum(_bytes(value) for value in flatten(batch))
        if self.batches and self._bytes + size > MOST_BYTES:
            self.full = True
            return
        self.batches.append(tuple(batch))
        columns = delivered() if delivered is not None else None
        small = self._bytes + sum(_bytes(value) for value in (columns or {}).values()) <= MOST_BYTES
        self.delivered.append(columns if small else None)
        self._bytes += size
        self.full = len(self.batches) >= MOST_BATCHES

    def takes(self, style: str, roots, forward=None) -> bool:
        """Whether a step of these networks is the one that is held, or none is yet; ``forward`` as for `offer`."""
        if self.build is None:
            return True
        same = style == self.style and [id(root) for root in roots] == [id(root) for root in self.roots]
        return same and forward is self._forward

    @property
    def weights(self) -> list:
        """What the training moves: what its only optimizer has, or, where the script updates by itself, all that is trainable;
        empty where several optimizers share it."""
        if self.optimizers:
            return list(self.optimizers[0].parameters) if len(self.optimizers) == 1 else []
        return [one for one in all_parameters(self.roots) if one.requires_grad] + self.alone

    def _hold_later(self, batch: tuple) -> None:
        """At steps 32, 64, …: one more batch, and the weights as they are now."""
        size = sum(_bytes(value) for value in flatten(batch))
        if len(self.later) < MOST_LATER and size * (len(self.later) + 1) <= MOST_LATER_BYTES:
            self.later.append(tuple(batch))
        self._copy_weights()

    def _copy_weights(self) -> None:
        if self._copying.due():
            with self._copying.spending():
                networks = [unwrap(root) for root in self.roots if not is_optimizer_class(type(root))]
                copies = _copies(networks, most=MOST_COPIED)
            if copies is not None:
                self._copied = [*self._copied[-1:], (self.before + self.offered, copies)]

    def middle(self) -> Optional[tuple]:
        """``(step, {id(parameter): array})``: the networks' weights before the step nearest the middle; None: not copied."""
        return min(self._copied, key=lambda one: abs(one[0] - self.before - self.offered / 2), default=None)

    def travelled(self) -> Optional[dict]:
        """How far the networks' trainable weights have come from the start, beside the latest copy of their course.

        ``{"step", "share", "alike"}``: the step before which the copy was made; of the way from the first weights to the copy the
        share that the weights have gone by now (their projection on it); the cosine of both ways. None without a copy.
        """
        if not self._copied or self.initial is None:
            return None
        step, copied = self._copied[-1]
        length = product = gone = 0.0
        for parameter in all_parameters(self.roots):
            known = id(parameter) in copied and id(parameter) in self.initial
            if parameter.requires_grad and known:
                start = self.initial[id(parameter)].astype(np.float64).ravel()
                way, now = copied[id(parameter)].ravel() - start, parameter.asnumpy().ravel() - start
                length, product, gone = length + float(way @ way), product + float(way @ now), gone + float(now @ now)
        both = math.sqrt(length * gone)
        if not (both and math.isfinite(both)):
            return None
        return {"step": step, "share": product / length, "alike": product / both}

    def as_bound(self) -> contextlib.AbstractContextManager:
        """The names in the step's functions as they were when it was taken; put back afterwards."""
        return self.bindings.as_they_were() if self.bindings is not None else contextlib.nullcontext()

    def as_in_training(self) -> contextlib.AbstractContextManager:
        """Every cell in the mode that it had when its step was taken; put back afterwards."""
        return in_modes(self.modes)

    def in_inference(self) -> contextlib.AbstractContextManager:
        """Every cell of the step in inference mode: neither dropout nor the statistics of a batch; put back afterwards."""
        return in_modes([(cell, False) for cell in {id(cell): cell for cell, _ in self.modes}.values()])

    def updates(self, optimizer, gradients=None) -> None:
        """A functional loop calls ``optimizer`` with ``gradients``: it is known only once the first step ends."""
        if self.style == "functional":
            self.updates_held.update(optimizer, gradients, self.roots)
        if self.style != "functional" or any(optimizer is one for one in self.optimizers):
            return
        if self.initial is not None and len(self.batches) == 1:
            self.initial.update(_copies([optimizer], known=self.initial) or {})
            self.given = gradients
        self.optimizers = (*self.optimizers, optimizer)


@contextlib.contextmanager
def in_modes(modes: list) -> Iterator[None]:
    """Every cell of ``[(cell, whether it trains), …]`` in that mode; put back afterwards."""
    changed = [(cell, training) for cell, training in modes if bool(cell.training) != training]
    for cell, training in changed:
        cell.add_flags(training=training)
    try:
        yield
    finally:
        for cell, training in changed:
            cell.add_flags(training=not training)


def _modes(roots: list) -> list:
    cells = {id(cell): cell for root in roots if hasattr(root, "_cells") for _, cell in walk(root)}
    return [(cell, bool(cell.training)) for cell in cells.values()]


def _copies(roots: list, known=(), most: int = MOST_INITIAL, alone=()) -> Optional[dict]:
    """Copies of all parameters below ``roots`` and of those ``alone`` but the ``known``, up to ``most`` bytes."""
    parameters = [p for p in (*all_parameters(roots), *alone) if id(p) not in known]
    if sum(_bytes(p) for p in parameters) > most:
        return None
    return {id(p): p.asnumpy().copy() for p in parameters}


def _bytes(value) -> int:
    return int(getattr(value, "nbytes", 0) or 0) if hasattr(value, "dtype") else 0
