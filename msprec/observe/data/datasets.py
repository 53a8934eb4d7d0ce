"""Data sets as the script iterates them: which pipelines, what they deliver, in which order."""

import threading
import time
import weakref
from collections.abc import Iterable
from typing import Optional

import numpy as np

from msprec.observe.data import pipeline_objects
from msprec.observe.data.column_statistics import ColumnStatistics
from msprec.observe.data.conflicting_labels import Contradictions
from msprec.observe.data.label_columns import is_label_name, label_facts
from msprec.observe.data.label_samples import LabelSheet
from msprec.observe.data.padding import PaddingStatistics
from msprec.observe.data.sample_order import NewPass, PassOrder, order_facts, sample_keys, sketch
from msprec.runtime.scalars import is_parameter
from msprec.runtime.source_locations import places_of, user_place, user_stack

# share of the run's wall time that column statistics may take once the grace is used up, and that grace in seconds
STATISTICS_SHARE = 0.005
STATISTICS_GRACE = 1.0
# passes whose order is kept: the first and the last few
_KEEP_PASSES = 8
# passes of a data set whose order is looked at whatever it costs, the share of the time that it may take in later ones, and
# seconds that are free: a pass is looked at as a whole or counted only
_FIRST_PASSES, ORDER_SHARE, ORDER_GRACE = 3, 0.005, 1.0
# the user's frames that are told of where a data set is made
_CALLERS = 5
# fingerprints of inputs that are kept to know them again
_MOST_INPUTS = 1 << 16


def to_array(value) -> Optional[np.ndarray]:
    """A delivered value as a NumPy array (bfloat16 as float32), or None when it is none."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "asnumpy"):
        if "BFloat16" in str(getattr(value, "dtype", "")):
            value = value.float()
        return value.asnumpy()
    if isinstance(value, (int, float, bool, str, bytes, np.generic)):
        return np.asarray(value)
    return None


def as_arrays(items) -> dict:
    """``{column: array}`` of delivered ``(name, value)``, less what is none."""
    arrays = ((str(name), to_array(value)) for name, value in items)
    return {name: array for name, array in arrays if array is not None}


class DatasetRecord:
    """One data set: its pipeline, column statistics and passes."""

    def __init__(self, number: int, pipeline: list, nodes: list, iterated_at: Optional[dict]) -> None:
        self.number, self.pipeline, self.iterated_at = number, pipeline, iterated_at
        self.names = pipeline_objects.column_names(nodes) if nodes else None
        self.batched = pipeline_objects.has_batch(nodes) if nodes else True
        self.batch_size = pipeline_objects.batch_size(nodes) if nodes else None
        self.shuffle = (
            pipeline_objects.shuffle_facts(nodes)
            if nodes
            else {"declared": None, "means": [], "buffer_size": None, "seekable_source": None}
        )
        self.sharding = pipeline_objects.sharding_facts(nodes) if nodes else {"num_shards": None, "shard_id": None}
        self.repeat = pipeline_objects.repeat_count(nodes) if nodes else 1
        self.columns, self.passes, self.iterators = {}, [], 0
        self.padding, self.contradictions, self.sheet = PaddingStatistics(), Contradictions(), LabelSheet()
        self.begun = self.trained_passes = 0
        self.from_iterator = bool(nodes)
        # nothing says where a pass over plain arrays ends: the samples that come again do
        self.again = None if nodes else NewPass()
        self.batches = self.samples = self.scanned = self.steps = self.other_calls = 0
        # batches delivered between two training steps of one pass, beside that of the second
        self.passed_over = 0
        self.largest, self.as_declared = 0, False
        self.role_hint = None
        self.last_count = self.label_column = None
        # of the batch looked at last, the fingerprints of its samples without their labels
        self._input_keys = np.zeros(0, np.uint64)
        # the labels of the last batch, or the batch itself where it was only counted
        self._last_labels, self._last_items = None, None
        # fingerprints of inputs; whether some of a pass that was looked at are not among them
        self.inputs, self.inputs_cut = set(), False
        # samples of the longest whole pass that was only counted
        self._longest = 0

    # --- what the iterator hook calls -------------------------------------------------------------------------
    def begin_iterator(self) -> int:
        self.iterators += 1
        return self.iterators

    def begin_pass(self, iterator: int, affordable: bool = True) -> PassOrder:
        """``affordable``: whether its order may be looked at; that of the first passes is."""
        if self.passes and not self.passes[-1].looked_at:
            counted = self.passes.pop()
            self._longest = max(self._longest, counted.samples if counted.complete else 0)
        if len(self.passes) >= _KEEP_PASSES:
            del self.passes[_KEEP_PASSES // 2]
        self.begun += 1
        one = PassOrder(iterator, self.begun, affordable or self.begun <= _FIRST_PASSES)
        self.passes.append(one)
        return one

    def add(self, named: dict, one: PassOrder, may_scan: bool) -> PassOrder:
        """A delivered batch: column name → array. Gives the pass that it belongs to."""
        self.batched = self.batched or (not self.batches and _are_batches(named))
        count = self._count(named)
        keys, labels, label_column = self._keys(named, count, self.needs(one))
        if self.again is not None and self.again.begins(self._input_keys):
            one.complete = True
            one = self.begin_pass(one.iterator)
        if may_scan:
            for name, array in named.items():
                column = self.columns.setdefault(name, ColumnStatistics(name))
                column.add(array, self.batched and array.ndim > 0, one.samples)
            self.padding.add(named, self.batched)
            self.scanned += count
        if may_scan and labels is not None:
            rows = named if self.batched else {name: array[None] for name, array in named.items()}
            self.contradictions.add(rows, label_column, labels, one.number)
            if one.number == 1:
                self.sheet.add(rows, label_column, labels, one.samples)
        one.add(keys, labels)
        self._last_labels, self._last_items = labels, None
        self._counted(count)
        self.as_declared = self.as_declared or any(a.ndim and a.shape[0] == self.batch_size for a in named.values())
        return one

    def needs(self, one: PassOrder) -> bool:
        """Whether the samples of the batches of this pass have to be looked at."""
        return not one.full or (self.again is not None and not self.again.given_up)

    def pass_by(self, items: list, one: PassOrder) -> None:
        """A batch of ``(column name, value)`` that is counted and not read, so that nothing waits for it."""
        count = self._count(dict(items))
        self.inputs_cut = self.inputs_cut or one.looked_at
        one.count(count)
        self._last_items = items
        self._counted(count)

    def _counted(self, count: int) -> None:
        self.batches += 1
        self.samples += count
        self.last_count, self.largest = count, max(self.largest, count)

    @property
    def last_labels(self) -> Optional[np.ndarray]:
        """The labels of the batch delivered last; None: it has none."""
        if self._last_items is not None:
            named, self._last_items = as_arrays(self._last_items), None
            self._last_labels = self._keys(named, self.last_count, False)[1]
        return self._last_labels

    def _count(self, named: dict) -> int:
        if not self.batched:
            return 1
        return next((int(value.shape[0]) for value in named.values() if getattr(value, "shape", ())), 1)

    def _keys(self, named: dict, count: int, wanted: bool) -> tuple:
        """``(fingerprints, labels, name of their column)``; the fingerprints are zeros where none are ``wanted``."""
        each, columns = {}, {}
        for name, array in named.items():
            rows = array if self.batched else array[None]
            if rows.ndim == 0 or rows.shape[0] != count:
                continue
            columns[name] = rows
            if wanted:
                each[name] = sample_keys(rows)
                if count and rows[0].size > 1 and len(self.inputs) < _MOST_INPUTS:
                    self.inputs.update(each[name].tolist())
        # the first that is called a label, else the last that could be one
        called = [name for name in columns if is_label_name(name)]
        found = ((name, _as_labels(columns[name])) for name in (*called, *reversed(columns)))
        self.label_column, labels = next((one for one in found if one[1] is not None), (None, None))
        if self.again is not None:  # a sample is known again by its inputs: its label may have changed
            inputs = [keys for name, keys in each.items() if name != self.label_column]
            self._input_keys = _together(inputs or each.values(), count)
        keys = _together(each.values(), count)
        return keys, None if labels is None else labels.astype(np.int64), self.label_column

    # --- facts ------------------------------------------------------------------------------------------------
    @property
    def role(self) -> str:
        if self.steps:
            return "train"
        if self.role_hint:
            return self.role_hint
        return "eval" if self.other_calls and self.batches else "unknown"

    def facts(self, loss_name: str, sketched: bool = False) -> dict:
        """``sketched``: with a sketch of the first pass, for comparing ranks."""
        fed = [p for p in self.passes if p.samples and (p.trained or not self.steps)]
        passes = self._split_repeats([p for p in fed if p.looked_at])
        counted = [p.samples for p in fed if p.complete and not p.looked_at]
        complete = [p.samples for p in passes if p.complete] + counted + [self._longest] * (self._longest > 0)
        columns = [c.facts() for c in self.columns.values()]
        share = self.scanned / self.samples if self.samples else 0.0
        return {
            "id": self.number,
            "role": self.role,
            "pipeline": self.pipeline,
            "shuffle": self.shuffle,
            "sharding": self.sharding,
            "repeat": self.repeat,
            "batch_size": self._seen_batch_size(),
            "passes": max(len(passes), self.trained_passes if self.steps else self.begun),
            "batches": self.batches,
            "fed": self.steps,
            "passed_over": self.passed_over,
            "other_calls": self.other_calls,
            "samples": self.samples,
            "samples_per_pass": max(complete) if complete else None,
            "scanned": {
                "samples": self.scanned,
                "share": share,
                "why_not_all": None if share >= 1 else "the time budget of the column statistics",
            },
            "columns": columns,
            "padding": self.padding.facts(),
            "label": label_facts(columns, passes, loss_name, self.label_column),
            "order": {
                "passes": order_facts(passes),
                "new_iterator_each_pass": self.iterators >= self.begun > 1,
                "sketch": sketch(passes[0]) if sketched and passes else None,
            },
            "iterated_at": self.iterated_at,
            "contradictions": self.contradictions.facts(),
        }

    def _seen_batch_size(self) -> Optional[int]:
        """Samples of a batch as delivered: a map after ``batch()`` may fold lines of a file into more of them."""
        if self.batch_size and (self.as_declared or not self.batched or not self.largest):
            return self.batch_size
        if self.batch_size or (self.batched and self.largest):
            return self.largest
        sizes = [p.samples / p.batches for p in self.passes if p.batches]
        return int(max(sizes)) if sizes and self.batched else (1 if sizes else None)

    def _split_repeats(self, passes: list) -> list:
        """A repeat(k) delivers k passes through one iteration: cut them apart where the set begins again; so do arrays whose
        samples come several times in a pass, by the sums of their fingerprints."""
        if self.again is not None and self.again.given_up and len(passes) == 1:
            rounds = passes[0].rounds()
            return passes[0].split(rounds) if rounds > 1 else passes
        if self.repeat <= 1 or not passes or not passes[0].complete or passes[0].samples % self.repeat:
            return passes
        return [part for one in passes for part in one.split(self.repeat)]


def _together(each: Iterable, count: int) -> np.ndarray:
    """One fingerprint a sample of those of its columns."""
    keys = np.zeros(count, np.uint64)
    for own in each:
        keys = keys * np.uint64(1099511628211) + own
    return keys


def _are_batches(named: dict) -> bool:
    """Whether a source that nothing batches delivers whole batches: samples of several values beside one label for each.

    All columns have the same first axis, one has further axes, and the last is a row of whole numbers.
    """
    arrays = list(named.values())
    if len(arrays) < 2 or any(array.ndim == 0 for array in arrays):
        return False
    sizes, last = {array.shape[0] for array in arrays}, arrays[-1]
    labels = last.ndim == 1 and last.dtype.kind in "iub"
    return len(sizes) == 1 and sizes.pop() > 1 and labels and all(array.ndim > 1 for array in arrays[:-1])


def _as_labels(rows: np.ndarray) -> Optional[np.ndarray]:
    """One whole number a sample: those of a column, or where its rows are one-hot; None of any other column."""
    size, kind = rows[0].size if len(rows) else 0, rows.dtype.kind
    if size == 1 and (kind in "iub" or (kind == "f" and _whole(rows))):
        return rows.reshape(-1)
    return rows.argmax(1) if kind in "fiub" and rows.ndim == 2 and 1 < size <= 4096 and _is_one_hot(rows) else None


def _whole(rows: np.ndarray) -> bool:
    flat = rows.reshape(-1)
    return bool(np.isfinite(flat).all() and (np.abs(flat) < 2**31).all() and (flat == np.floor(flat)).all())


def _is_one_hot(rows: np.ndarray) -> bool:
    return bool(((rows == 0) | (rows == 1)).all() and (rows.sum(1) == 1).all())


def _in_pipeline() -> bool:
    """Whether a thread of MindSpore's own runs this: what is read there goes into another data set, and not to the script."""
    thread = threading.current_thread()
    # a thread that was not made in Python
    return isinstance(thread, threading._DummyThread) or type(thread).__module__.startswith("mindspore.")


class DatasetObserver:
    """Keeps a record for each data set that is iterated; the iterator's class is hooked once."""

    def __init__(self, observer) -> None:
        self.observer = observer
        self.records, self.by_key = [], {}
        #: ``{((name, number of axes), …): record}`` of the arguments of training steps
        self._of_steps: dict = {}
        self.stacks = weakref.WeakKeyDictionary()
        self.state = weakref.WeakKeyDictionary()
        self.last = self.last_pass = self.trained = None
        # what a pipeline delivered last, by name
        self._last_items: Optional[list] = None
        # batches that pipelines delivered since the last training step began
        self.since_step = 0
        self.spent, self.began = 0.0, time.perf_counter()
        # seconds of looking at the order alone
        self._order_spent = 0.0
        self.wait = None
        self.inside = False
        # of the batch that is being delivered, ``{id(tensor): (tensor, array)}`` of the arrays that its tensors are made of
        self._arrays = {}

    def install(self, patches) -> None:
        def remember_place(original):
            def __init__(ds_self, *args, **kwargs):
                original(ds_self, *args, **kwargs)
                if ds_self not in self.stacks:
                    self.stacks[ds_self] = user_stack(2)

            return __init__

        def watch_next(original):
            def __next__(iterator):
                if self.inside or _in_pipeline():
                    return original(iterator)
                begin = time.perf_counter()
                self.inside = True
                self._arrays.clear()
                try:
                    data = original(iterator)
                except StopIteration:
                    self.observer.guarded_call(self.end_pass, iterator)
                    raise
                finally:
                    self.inside = False
                self.wait = (self.wait or 0.0) + time.perf_counter() - begin
                self.observer.guarded_call(self.delivered, iterator, data)
                return data

            return __next__

        # reading a tensor waits for everything that PyNative mode has launched: the array that it is made of need not be read
        def watch_from_numpy(original):
            def from_numpy(array):
                tensor = original(array)
                if self.inside:
                    self._arrays[id(tensor)] = (tensor, array)
                return tensor

            return from_numpy

        patches.hook("tensor_from_numpy", watch_from_numpy)
        patches.hook("dataset_init", remember_place)
        patches.hook("iterator_next", watch_next)

    def _stack(self, node) -> list:
        """The places of the user's frames in which a node of a pipeline was made, the innermost first."""
        return places_of(self.stacks.get(node, ())[:_CALLERS])

    def take_wait(self) -> Optional[float]:
        """Seconds waited for data since the last call, or None when none was delivered."""
        wait, self.wait = self.wait, None
        return wait

    def _record(self, iterator) -> tuple:
        """The record and running pass of an iterator."""
        state = self.state.get(iterator)
        if state is None:
            dataset = iterator._Iterator__ori_dataset
            nodes = pipeline_objects.chain(dataset)
            pipeline = pipeline_objects.pipeline_facts(nodes, self._stack)
            key = (self.stacks.get(dataset, ()), str([(p["op"], p["args"], p["place"]) for p in pipeline]))
            record = self.by_key.get(key)
            if record is None:
                record = DatasetRecord(len(self.records), pipeline, nodes, user_place(3))
                self.by_key[key] = record
                self.records.append(record)
            state = [record, None, record.begin_iterator()]
            self.state[iterator] = state
        if state[1] is None:
            allowed = ORDER_GRACE + ORDER_SHARE * (time.perf_counter() - self.began)
            state[1] = state[0].begin_pass(state[2], self._order_spent <= allowed)
        return state[0], state[1]

    def delivered(self, iterator, data) -> None:
        self.observer.steps.data_arrived()
        self.since_step += 1
        record, one = self._record(iterator)
        items = data.items() if isinstance(data, dict) else zip(self._names(record, len(data)), data)
        arrays, self._arrays = self._arrays, {}
        self._take(record, one, [(name, arrays.get(id(value), (None, value))[1]) for name, value in items])

    def _take(self, record: DatasetRecord, one: PassOrder, items: list) -> None:
        begin = time.perf_counter()
        may_scan = self.spent < STATISTICS_GRACE + STATISTICS_SHARE * (begin - self.began)
        if not may_scan and not record.needs(one):
            record.pass_by(items, one)
        elif named := as_arrays(items):
            one = record.add(named, one, may_scan)
        self.last, self.last_pass = record, one
        self._last_items = items if record.from_iterator else None
        took = time.perf_counter() - begin
        self.spent += took
        self._order_spent += 0.0 if may_scan else took

    def last_columns(self) -> Optional[dict]:
        """The columns that a pipeline delivered last, as arrays; None: none did."""
        return as_arrays(self._last_items) if self._last_items is not None else None

    @staticmethod
    def _names(record: DatasetRecord, count: int) -> list:
        names = record.names or []
        return list(names) if len(names) == count else [f"column_{i}" for i in range(count)]

    def end_pass(self, iterator) -> None:
        state = self.state.get(iterator)
        if state and state[1] is not None:
            state[1].complete = state[1].samples > 0
            state[1] = None

    def feeds_step(self) -> None:
        """A training step begins: what was delivered last is training data."""
        self.since_step = 0
        if self.last is not None:
            self.last.steps += 1
            self.last.trained_passes += not self.last_pass.trained
            self.last.passed_over += max(0, self.last_pass.waiting - 1) if self.last_pass.trained else 0
            self.last_pass.trained, self.last_pass.waiting = True, 0
            self.trained = self.last

    def feeds_other(self, role: Optional[str] = None) -> None:
        """A forward pass outside training begins."""
        if self.last is not None:
            self.last.other_calls += 1
            if role:
                self.last.role_hint = role

    @property
    def piped(self) -> bool:
        """Whether pipelines deliver the batches, and the arguments of training steps tell nothing more."""
        return any(record.from_iterator for record in self.records)

    def step_inputs(self, names: list, values: list) -> None:
        """The arguments of a training step, recorded as a data set of their own when no pipeline delivered them; parameters
        among them are no data."""
        if self.piped:
            return
        arrays = [(n, v) for n, v in zip(names, values) if hasattr(v, "asnumpy") or isinstance(v, np.ndarray)]
        tensors = [(n, v) for n, v in arrays if not is_parameter(v)]
        if tensors or not self.records:
            shapes = tuple((name, value.ndim) for name, value in tensors)
            record = self._of_steps.get(shapes) or self._record_of_step(shapes, user_stack(3, _CALLERS))
        if tensors:
            self._take(record, record.passes[-1], tensors)
            record.steps = max(1, record.steps)
            record.trained_passes += not self.last_pass.trained
            self.last_pass.trained = True

    def _record_of_step(self, shapes: tuple, stack: tuple) -> DatasetRecord:
        """The record of arguments: one for all, but that arguments of the same names with another number of axes, as a second
        training by the same function has, are other data."""
        names = [name for name, _ in shapes]
        record = self.records[0] if self.records else None
        if record is None or any(names == [name for name, _ in known] for known in self._of_steps):
            where, *callers = places_of(stack) or [None]
            pipeline = [{"op": "arguments of the training step", "args": {}, "place": where, "callers": callers}]
            record = DatasetRecord(len(self.records), pipeline, [], where)
            self.records.append(record)
            record.begin_pass(record.begin_iterator())
        self._of_steps[shapes] = record
        return record

    def is_trained_on(self, keys: np.ndarray) -> Optional[bool]:
        """Whether most of some samples, told by their fingerprints, were delivered for training; None: not known."""
        known = [record for record in self.records if record.steps]
        if any(len(record.inputs) >= _MOST_INPUTS for record in known) or not any(record.inputs for record in known):
            return None
        hits = sum(any(key in record.inputs for record in known) for key in keys.tolist())
        if hits > 0.5 * len(keys):
            return True
        return None if any(record.inputs_cut for record in known) else False

    def trained_inputs(self) -> set:
        """Fingerprints of all inputs that were delivered for training; empty where there are more than are kept."""
        known = [record.inputs for record in self.records if record.steps]
        return set() if any(len(one) >= _MOST_INPUTS for one in known) else set().union(*known)

    def label_sheet(self, folder) -> dict:
        """``label_sheet.json``: samples of the training set; pictures are written into ``folder``."""
        trained = max((r for r in self.records if r.steps), key=lambda r: r.steps, default=None)
        return (
            {"dataset": trained.number, "samples": trained.sheet.write(folder)}
            if trained is not None
            else {"samples": []}
        )

    @property
    def epoch(self) -> Optional[int]:
        """The pass over the training data that is running, from 1."""
        if self.trained is None or not self.trained.pipeline or not self.trained.from_iterator:
            return None
        return self.trained.trained_passes or None

    def facts(self, loss_name: str) -> dict:
        several = self.observer.rank_size > 1
        cost = {"seconds": self.spent, "of_seconds": time.perf_counter() - self.began}
        return {
            "datasets": [record.facts(loss_name, several) for record in self.records if record.batches],
            "cost": cost,
        }
