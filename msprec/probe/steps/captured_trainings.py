"""Of several trainings one after the other (a network is trained before, then its last layers; one fold after another), the
last one's steps are held for the probes."""

from typing import Callable

from msprec.probe.steps.captured_steps import Material

#: So many steps in a row without the training that is held are a training of their own; of the last one, so many are enough,
#: and fewer where its optimizer is another, as one that diverges at once makes.
NEXT, LAST, FEW = 32, 10, 2
#: So often another step may come and go, as a generator's beside the discriminator's: each time its weights are copied.
TURNS = 2


class CapturedTrainings:
    """What `Material` is for one training, for the last of them."""

    def __init__(self) -> None:
        self._held, self._next, self._former = Material(), None, None
        self._offered, self._turns = 0, 0
        # how the last step was offered; what was held before an optimizer took over from others
        self._again, self._before = None, None

    def offer(self, style: str, batch: tuple, build: Callable, roots, *what, forward=None, **named) -> None:
        """A training step begins; see `Material.offer`. ``forward``: what a functional loop differentiates."""
        forward = getattr(forward, "__code__", forward)
        step = (style, roots, forward)
        if self._former is not None and self._former.takes(*step):
            self._held, self._former, self._turns = self._former, None, TURNS  # they take turns, many steps each
        if self._turns >= TURNS or self._held.takes(*step):
            self._turns += self._next is not None
            self._next, takes = None, self._held
        else:
            takes = self._other(step)
        takes.offer(style, batch, build, roots, *what, forward=forward, **named)
        self._again = (
            takes,
            lambda material: material.offer(style, batch, build, roots, *what, forward=forward, **named),
        )
        self._offered += 1
        if takes is self._next and takes.offered >= NEXT:
            self._former, self._held, self._next = self._held, takes, None

    def _other(self, step: tuple) -> Material:
        """What holds the steps of a training that is not the one that is held."""
        if self._next is None or not self._next.takes(*step):
            self._turns += self._next is not None
            self._next = Material(before=self._offered)
        return self._next

    def updates(self, optimizer, gradients=None) -> None:
        """A functional loop calls ``optimizer``; see `Material.updates`."""
        material = self._next or self._held
        if material is self._held and self._turns < TURNS and self._takes_over(optimizer):
            # one function may train a network twice: with a new head, or once its body is frozen
            self._before, self._held = self._held, Material(before=self._offered - 1)
            self._again[1](self._held)
            self._turns += 1
            material = self._held
        material.updates(optimizer, gradients)

    def _takes_over(self, optimizer) -> bool:
        """Whether an optimizer makes its first update in the step just offered, after many that others made."""
        held, others = self._held, self._held.optimizers
        known = not others or any(optimizer is one for one in others)
        return not known and held.style == "functional" and held.offered > LAST and self._again[0] is held

    def last(self) -> Material:
        """What is held of the last training that made `LAST` steps, or `FEW` with an optimizer of its own."""
        last, former = self._next, {id(optimizer) for optimizer in self._held.optimizers}
        if last is None:
            few = self._before is not None and self._held.offered < FEW
            return self._before if few else self._held
        own = last.optimizers and not former & {id(optimizer) for optimizer in last.optimizers}
        return last if last.offered >= (FEW if own else LAST) else self._held
