"""Of several trainings one after the other (a network is trained before, then its last layers; one fold after another), the
last one's steps are held for the probes."""

from typing import Callable, Optional

from msprec.probe.captured_steps import Material

#: So many steps in a row without the training that is held are a training of their own; of the last one, so many are enough.
NEXT, LAST = 32, 10
#: So often another step may come and go, as a generator's beside the discriminator's: each time its weights are copied.
TURNS = 2


class CapturedTrainings:
    """What `Material` is for one training, for the last of them."""

    def __init__(self) -> None:
        self._held, self._next = Material(), None
        self._offered, self._turns = 0, 0

    def offer(self, style: str, batch: tuple, build: Callable, roots, *what, forward=None, **named) -> None:
        """A training step begins; see `Material.offer`."""
        what, named = (style, batch, build, roots, *what), {"forward": forward, **named}
        if self._turns < TURNS and not self._held.takes(style, roots, forward):
            if self._next is None or not self._next.takes(style, roots, forward):
                self._turns += self._next is not None
                self._next = Material(before=self._offered)
            self._next.offer(*what, **named)
            if self._next.offered >= NEXT:
                self._held, self._next = self._next, None
        else:
            self._turns += self._next is not None
            self._next = None
            self._held.offer(*what, **named)
        self._offered += 1

    def updates(self, optimizer, gradients=None) -> None:
        """A functional loop calls ``optimizer``; see `Material.updates`."""
        (self._next or self._held).updates(optimizer, gradients)

    def last(self) -> Material:
        """What is held of the last training that made `LAST` steps."""
        newest: Optional[Material] = self._next
        return newest if newest is not None and newest.offered >= LAST else self._held
