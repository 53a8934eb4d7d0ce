"""Evaluations in loops of the script: losses, metrics and hits, by the training step after which they were made."""

import sys
import time
from typing import Optional

import numpy as np

from msprec.observe.data.datasets import to_array
from msprec.observe.evaluation.inline_metrics import AssignedObserver
from msprec.observe.evaluation.logged_metrics import LoggedMetrics
from msprec.observe.evaluation.returned_metrics import ReturnObserver
from msprec.observe.evaluation.trained_samples import TrainedSamples
from msprec.record.step_recorder import to_number
from msprec.runtime.source_locations import user_place

_MOST_BLOCKS = 2000
_MOST_VALUES = 20000
_LARGEST = 1 << 22
# seconds that reading outputs may take in all, and share of the run's time beyond them
_GRACE, _SHARE = 1.0, 0.01


class _Block:
    """What was computed outside training between two training steps, on one data set."""

    def __init__(self, step: int, epoch: Optional[int], record, place: Optional[dict]) -> None:
        self.step, self.epoch, self.record, self.place = step, epoch, record, place
        self.losses, self.metrics = [], {}
        self.hits = self.judged = 0

    def facts(self) -> Optional[dict]:
        metrics = dict(self.metrics)
        losses = [(value, count) for value, count in self.losses if isinstance(value, float) and count]
        if losses:
            values, counts = np.array(losses).T
            metrics["loss"] = float((values * counts).sum() / counts.sum())
        if self.judged and "accuracy" not in {name.lower() for name in metrics}:
            metrics["accuracy"] = self.hits / self.judged
        if not metrics:
            return None
        return {
            "step": self.step,
            "epoch": self.epoch,
            "metrics": metrics,
            "place": self.place,
            "via": "loop",
            "dataset": self.record.number if self.record is not None else None,
        }


class EvaluationObserver:
    """Losses are those of loss cells and of cells that wrap a network and its loss; hits compare the largest output with the
    label of the batch; metrics are those of `mindspore.train`'s metric objects."""

    def __init__(self, observer) -> None:
        self.observer = observer
        self.blocks = {}
        self.spent, self.began = 0.0, time.perf_counter()
        self.open = None
        self.depth = 0
        self.assigned = AssignedObserver(observer)
        self.returned = ReturnObserver(observer, self.assigned.returns)
        self.logged = LoggedMetrics(observer)
        self.trained_samples = TrainedSamples(observer)

    def install(self, patches) -> None:
        from mindspore.train import metrics

        self.logged.install()

        def watch_eval(original):
            def eval(metric, *args, **kwargs):
                self.depth += 1
                try:
                    result = original(metric, *args, **kwargs)
                finally:
                    self.depth -= 1
                if not self.depth and not self.observer.models.stack:
                    self.observer.guarded_call(self._measured, metric, result)
                return result

            return eval

        for name in dir(metrics):
            kind = getattr(metrics, name)
            if isinstance(kind, type) and "eval" in vars(kind):
                patches.wrap(kind, "eval", watch_eval)

    def called(self, kind: str, output, inputs: tuple = (), place_depth: int = 3) -> None:
        """A loss (``kind`` "loss") or a network was called with ``inputs`` outside training and outside `Model`."""
        if kind == "network":
            given = list(inputs)
            self.returned.called(given, place_depth)
            # frame 0: this method
            frame = sys._getframe(place_depth - 1)
            samples = next((value.shape[0] for value in given if getattr(value, "ndim", 0)), 0 if not given else -1)
            self.assigned.called(frame, self.observer.steps.updated, lambda: self.returned.data_of(given), samples)
        datasets = self.observer.datasets
        if datasets.last is None or datasets.last.steps:
            return
        block = self._block(user_place(place_depth))
        count = datasets.last.last_count or 1
        if block is None:
            return
        scalar = _scalar(output)
        if scalar is not None:
            if len(block.losses) < _MOST_VALUES:
                block.losses.append((scalar, count))
        elif kind == "network" and self.spent < _GRACE + _SHARE * (time.perf_counter() - self.began):
            begin = time.perf_counter()
            self._count_hits(block, output, datasets.last.last_labels)
            self.spent += time.perf_counter() - begin

    def _block(self, place: Optional[dict]) -> Optional[_Block]:
        step, record = self.observer.steps.done, self.observer.datasets.last
        key = (step, id(record))
        if key not in self.blocks:
            if len(self.blocks) >= _MOST_BLOCKS:
                return None
            self._read(self.open)
            self.open = self.blocks[key] = _Block(step, self.observer.datasets.epoch, record, place)
        return self.blocks[key]

    @staticmethod
    def _read(block: Optional[_Block]) -> None:
        """Turns what a block holds into numbers: by now the script has most likely waited for them itself."""
        if block is not None:
            block.losses = [(v if isinstance(v, float) else _number(v), count) for v, count in block.losses]

    @staticmethod
    def _count_hits(block: _Block, output, labels: Optional[np.ndarray]) -> None:
        if labels is None or not hasattr(output, "asnumpy") or output.ndim != 2 or output.size > _LARGEST:
            return
        if output.shape[0] != len(labels) or output.shape[1] < 2 or "Float" not in str(output.dtype):
            return
        if labels.min(initial=0) < 0 or labels.max(initial=0) >= output.shape[1]:
            return
        values = to_array(output)
        block.hits += int((values.argmax(1) == labels).sum())
        block.judged += len(labels)

    def _measured(self, metric, result) -> None:
        value = _number(result)
        if value is None:
            return
        block = self._block(user_place(3)) if self.observer.datasets.last is not None else None
        if block is not None:
            block.metrics[type(metric).__name__] = value

    def facts(self) -> list:
        """Entries of ``evaluation.json``: those on data that no training step was fed with."""
        self._read(self.open)
        found = [block.facts() for block in self.blocks.values() if not block.record.steps]
        found = [entry for entry in found if entry is not None]
        found += _not_yet(found, self.returned.facts())
        found += _not_yet(found, self.assigned.facts())
        return _with_logged(found, self.logged.found)


def _with_logged(found: list, logged: list) -> list:
    """What the script logs, by the name that it gives, in the place of the same values in ``found``: of their data."""
    told = []
    for entry in logged:
        ((_, value),) = entry["metrics"].items()
        same = (
            one
            for one in found
            if one["step"] == entry["step"] and any(_same(value, v) for v in one["metrics"].values())
        )
        of = next(same, None)
        told.append(entry if of is None else {**entry, "dataset": of["dataset"], "samples": of.get("samples")})
    return [*told, *_not_yet(told, found)]


def _not_yet(found: list, others: list) -> list:
    """``others`` without the metrics of which ``found`` holds the same value at the same step."""
    known = {}
    for entry in found:
        known.setdefault(entry["step"], []).extend(entry["metrics"].values())
    left = []
    for entry in others:
        values = known.get(entry["step"], [])
        metrics = {name: v for name, v in entry["metrics"].items() if not any(_same(v, other) for other in values)}
        if metrics:
            left.append({**entry, "metrics": metrics})
    return left


def _same(value: float, other: float) -> bool:
    """Equal within rounding; or as a percentage."""
    return any(abs(value - one) <= 1e-3 * max(abs(one), 1e-6) for one in (other, 100 * other))


def _scalar(output):
    """The output itself where it is one floating-point number, else None."""
    if hasattr(output, "dtype") and hasattr(output, "asnumpy"):
        return output if "Float" in str(output.dtype) and output.size == 1 else None
    return None


def _number(value) -> Optional[float]:
    try:
        return float(to_number(value)) if hasattr(value, "asnumpy") else float(value)
    except (TypeError, ValueError):
        return None
