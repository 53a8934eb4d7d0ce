"""Keeps what a replay of the last steps of training cells and functional loops needs, and locates a step that goes bad."""

from typing import Callable

from msprec.callbacks.spike_batches import keeper_for
from msprec.callbacks.step_snapshots import BadStep, save_step
from msprec.record.step_recorder import process_rank


class ReplayObserver:
    """Steps of `Model` are not kept here: there `NonFiniteMonitor` does the same.

    Args:
        writer: The run's writer.
        locate: Whether to replay bad steps; without, their batch and random state are kept all the same.
        again: A `Capsule` to try on the first step that fits, or a `StepDumper`, instead of recording.
    """

    def __init__(self, writer, locate: bool, again=None) -> None:
        self._writer, self._locate, self.again = writer, locate, again
        self._keeper = self._locator = None
        self._saved = False

    def _prepare(self, dynamic: bool) -> None:
        from msprec.locate.online import Locator, WeightCopies

        self._keeper = keeper_for(self._writer, dynamic)
        folder = self._writer.rank_folder / "nonfinite"
        alone = process_rank()[1] == 1
        self._locator, self._copies = Locator(self._writer.event, folder, alone), WeightCopies()

    def begin(self, step: int, batch: tuple, build: Callable, roots: list, dynamic: bool) -> None:
        """A forward pass of ``step`` begins; ``build(batch)`` makes what can be run again.

        Raises:
            Located, DumpDone: This run is there to try a kept step again, or to dump some, and this was the last one.
        """
        if self.again is not None:
            self.again.try_on(build, step, batch)
            return
        if self._keeper is None:
            self._prepare(dynamic)
        copies = self._copies.take(roots) if self._locate else None
        self._keeper.begin(step, batch, build, copies)
        if copies and self._copies.spoilt:
            self._judge(self._keeper.rest() or BadStep(step, "parameter", None))

    def end(self, step: int, loss, overflow, scale) -> None:
        """The step has ended."""
        if self._keeper is not None:
            self._judge(self._keeper.end(step, loss, overflow, scale))

    def drop(self, step: int) -> None:
        """What has begun as ``step`` is none after all; the next to begin has its number."""
        if self._keeper is not None:
            self._keeper.drop(step)

    def rest(self) -> None:
        """The training is over."""
        if self._keeper is not None:
            self._judge(self._keeper.rest())

    def crashed(self) -> None:
        """An error has ended the script."""
        if self._keeper is not None and self._locate:
            self._judge(self._keeper.crashed())

    def _judge(self, bad) -> None:
        if bad is None:
            return
        kept = self._keeper.kept(bad.step)
        if bad.what == "loss" and kept is not None and not self._saved and not self._locate:
            self._saved = True
            save_step(self._writer.rank_folder / "nonfinite", kept)
        if self._locate:
            self._locator.tell(self._keeper, bad)
