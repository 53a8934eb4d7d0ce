"""The batches of a training's first passes, held until there is time to look at them."""

from typing import Optional

from msprec.observe.data import pipeline_objects
from msprec.observe.data.datasets import DatasetRecord, to_array
from msprec.record.nested import flatten
from msprec.runtime.memory import reference
from msprec.runtime.source_locations import user_place

#: Bytes of batches that are held of one training, of which one pass has no more than half; passes of which any is held.
MOST_BYTES, MOST_PASSES = 64 << 20, 3


class _Pass:
    def __init__(self, epoch, iterator: int) -> None:
        self.epoch, self.iterator, self.batches, self.bytes = epoch, iterator, [], 0
        self.count = self.samples = self.fed = 0
        self.complete = self.cut = False
        self.order = None


class HeldBatches:
    """One data set that feeds a training, or its evaluations.

    Nothing is drawn from it: what it delivers is held as it comes, and read later.

    Args:
        number: Of the data set in the run.
        dataset: The pipeline; None: batches come from no pipeline, and where a pass ends is told by their samples.
        role: "train" or "eval".
    """

    def __init__(self, number: int, dataset, role: str = "train") -> None:
        nodes = pipeline_objects.chain(dataset) if dataset is not None else []
        place = user_place(2)
        pipeline = pipeline_objects.pipeline_facts(nodes, lambda node: ())
        pipeline = pipeline or [{"op": "arguments of the training step", "args": {}, "place": place}]
        #: The data set, to be asked for its facts after `look`
        self.record = DatasetRecord(number, pipeline, nodes, place)
        # its arrays are the script's to let go of
        self._dataset = reference(dataset) if dataset is not None else None
        self._piped, self.role = bool(nodes), role
        self._passes: list = []
        self._held, self._number = 0, self.record.begin_iterator()
        #: The types of the arrays of the first batch
        self.dtypes: set = set()

    def is_of(self, dataset) -> bool:
        """Whether this is about ``dataset``."""
        return dataset is None if self._dataset is None else self._dataset() is dataset and dataset is not None

    def iterated_anew(self) -> None:
        """A new iterator goes through it."""
        self._number = self.record.begin_iterator()

    def add(self, batch, epoch, count: Optional[int]) -> None:
        """A batch of ``count`` samples fed a step of ``epoch``."""
        one = self._passes[-1] if self._passes else None
        if one is None or (self._piped and one.epoch != epoch):
            one = _Pass(epoch, self._number)
            self._passes.append(one)
        one.count += 1
        one.samples += count or 0
        if one.cut or batch is None:
            one.cut = True
            return
        size = sum(int(getattr(value, "nbytes", 0) or 0) for value in flatten(batch))
        share = MOST_BYTES // 2 if self._piped else MOST_BYTES
        one.cut = len(self._passes) > MOST_PASSES or one.bytes + size > share or self._held + size > MOST_BYTES
        if not one.cut:
            one.bytes += size
            self._held += size
            # what a loop of the user's makes may be filled anew for the next step
            one.batches.append(batch if self._piped else self._named(batch))

    def pass_ended(self, count: Optional[int] = None) -> None:
        """The running pass is over; ``count``: the batches of a whole one, where that is known."""
        if self._passes and self._piped:
            one = self._passes[-1]
            one.complete = count is None or one.count == count

    @property
    def held(self) -> int:
        """Bytes held so far, those that were looked at included."""
        return self._held

    def look(self, budget) -> None:
        """Looks at what is held and lets it go; statistics of columns are made while ``budget`` is due."""
        for one in self._passes:
            if one.order is None:
                one.order = self.record.begin_pass(one.iterator)
            for batch in one.batches:
                self._feed(one, batch, budget)
            one.batches = []
            self._count_rest(one)
            if self._piped:
                # where the pass is repeats of the set, only all of its samples tell them apart
                whole = not one.cut or self.record.repeat <= 1
                one.order.complete = one.complete and whole

    def _feed(self, one: _Pass, batch, budget) -> None:
        record, named = self.record, self._named(batch)
        self.dtypes = self.dtypes or {str(array.dtype) for array in named.values()}
        if named:
            with budget.spending():
                one.order = record.add(named, one.order, budget.due())
        one.fed += 1
        self._fed(one.order, 1)

    def _fed(self, order, steps: int) -> None:
        if self.role == "eval":
            self.record.role_hint = self.role
            self.record.other_calls += steps
            return
        self.record.steps += steps
        self.record.trained_passes += not order.trained
        order.trained, order.waiting = True, 0

    def _count_rest(self, one: _Pass) -> None:
        """Counts the batches that were not held."""
        rest = one.count - one.fed
        if rest <= 0:
            return
        record, order = self.record, one.order
        samples = max(0, one.samples - order.samples) if self._piped else rest * (record.last_count or 0)
        one.fed = one.count
        record.batches += rest
        record.samples += samples
        order.batches += rest
        order.samples += samples
        self._fed(order, rest)

    def _named(self, batch) -> dict:
        if isinstance(batch, dict):
            items = list(batch.items())
        else:
            values = list(batch) if isinstance(batch, (tuple, list)) else [batch]
            names = self.record.names or []
            names = names if len(names) == len(values) else [f"column_{i}" for i in range(len(values))]
            items = list(zip(names, values))
        found = {str(name): to_array(value) for name, value in items}
        return {n: array if self._piped else array.copy() for n, array in found.items() if array is not None}
