"""An accuracy far below guessing of a network whose loss says that it learnt (ds.02, hp.02)."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.loss.loss_with_inputs import NLL, SOFTMAX
from msprec.checklists.common.training.constant_prediction import ACCURACY, as_share, learning_outcome, training_losses
from msprec.checklists.common.training.training_segments import last_evaluations
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Fewest evaluations that make a course; samples of an evaluation that a single one needs; best accuracy from which one falls.
_COURSE, _SAMPLES, _HITS = 4, 20, 0.02


class AtOdds(NamedTuple):
    """The accuracy ``name`` is ``last`` at the end, evaluated at ``place``, and was ``best`` before; the loss went from ``first``
    to ``end``."""

    name: str
    best: float
    last: float
    first: float
    end: float
    place: Optional[Fact]

    def words(self) -> Text:
        """``the loss comes down from 1.98 to 0.024, and accuracy is 0.001 at the end (0.072 at best)``"""
        return Text(
            "loss 从 {first} 降到 {end}，而 {name} 到最后只有 {last}（最好时 {best}），比随便猜还差得多",
            "the loss comes down from {first} to {end}, and {name} is {last} at the end ({best} at best), far below guessing",
            first=self.first,
            end=self.end,
            name=self.name,
            last=round(self.last, 4),
            best=round(self.best, 4),
        )


def scores_at_odds(run_data: RunData) -> Optional[AtOdds]:
    """The first accuracy that ends below ds.02.below_guessing times the share that guessing would get right, where the loss came
    down to ds.02.came_down of its start; without a number of classes, one that fell to ds.02.fell_to of its best."""
    found = training_losses(run_data)
    if found is None or len(found[1]) < 10:
        return None
    tenth = max(1, len(found[1]) // 10)
    first, end = float(found[1][:3].mean()), float(found[1][-tenth:].mean())
    if not 0 <= end <= run_data.limit("ds.02.came_down") * first:
        return None
    for (name, dataset), entries in _courses(run_data).items():
        values = [value for value, _ in entries]
        best, last = max(values), float(np.mean(values[-2:]))
        guessing = _guessing(run_data) if len(entries) >= _COURSE or _enough(run_data, dataset) else None
        below = guessing is not None and last < run_data.limit("ds.02.below_guessing") * guessing
        fell = len(entries) >= _COURSE and best >= _HITS and last <= run_data.limit("ds.02.fell_to") * best
        if below or fell:
            return AtOdds(name, best, last, first, end, entries[-1][1])
    return None


def _courses(run_data: RunData) -> dict:
    """``{(name, data set): [(share, place), …]}`` of the accuracies."""
    found: dict = {}
    for one in last_evaluations(run_data):
        for name, value in one.metrics.items():
            if ACCURACY.search(name) and value == value and 0 <= value <= 100:
                found.setdefault((name, one.dataset), []).append((as_share(value), one.place))
    return found


def _enough(run_data: RunData, dataset: Optional[int]) -> bool:
    return any(one.id == dataset and (one.samples_per_pass or 0) >= _SAMPLES for one in run_data.datasets)


def _guessing(run_data: RunData) -> Optional[float]:
    """The share that guessing gets right of classes that are told apart for each sample, by a network that learnt."""
    losses = [
        one for one in run_data.probes.losses if one.kind in (SOFTMAX, NLL) and len(one.predicted.shape or ()) == 2
    ]
    if len(run_data.probes.losses) != 1 or not losses or learning_outcome(run_data).verdict != "learnt":
        return None
    return 1 / max(2, losses[0].predicted.shape[1] or 2)
