"""What a training would have reached by a predictor that takes no training of a network (td.01): nearest neighbours, or a linear
regression."""

import math
from typing import NamedTuple, Optional

from msprec.checklists.common.training.constant_prediction import BesideConstant
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Samples whose nearest neighbour is the window before or after in one series: neighbours tell nothing of what can be learnt.
_WINDOWS = 0.02


class Attainable(NamedTuple):
    """``by``: ``class`` (that of the nearest neighbour), ``neighbours`` or ``linear`` (see msprec/probe/data/target_control.py);
    ``share``: of samples that get the right class, or of the targets' variance that is explained; ``loss``: the loss of that, for
    classes of giving that class this share and all others the rest alike."""

    by: str
    share: float
    loss: float


def behind_simple_predictor(
    run_data: RunData, outcome: BesideConstant, limit: str = "td.01.neighbours"
) -> Optional[Attainable]:
    """The simple predictor of a training that took less than ``limit`` of what it takes from the constant's loss.

    None where it took more, where no such predictor is known, and where it takes less than td.01.well of the constant's loss.
    Both are measured on samples of the training data, each without itself: what a network is trained on it can do better.
    """
    constant = outcome.constant
    if constant is None or outcome.end is None:
        return None
    found = _of_classes(run_data) or _of_amounts(run_data, constant.kind, constant.value)
    if found is None:
        return None
    taken, possible = constant.value - outcome.end, constant.value - found.loss
    little = possible < run_data.limit("td.01.well") * constant.value
    return None if little or taken >= run_data.limit(limit) * possible else found


def labels_by_chance(run_data: RunData) -> bool:
    """Whether nearest neighbours find the labels no oftener than shuffled ones (td.05.related); False where that is not known."""
    control = run_data.probes.label_control
    if None in (control.agreement, control.shuffled, control.spread):
        return False
    return control.agreement <= control.shuffled + run_data.limit("td.05.related") * control.spread


def _of_classes(run_data: RunData) -> Optional[Attainable]:
    control = run_data.probes.label_control
    if control.agreement is None or (control.shifted or 0.0) > _WINDOWS:
        return None
    losses = run_data.probes.losses
    shape = list(losses[0].predicted.shape or ()) if len(losses) == 1 else []
    classes = max(2, shape[1] or 2) if len(shape) == 2 else 2
    return Attainable("class", control.agreement, _cross_entropy(control.agreement, classes))


def _of_amounts(run_data: RunData, kind: str, constant: float) -> Optional[Attainable]:
    control: Fact = run_data.probes.target_control
    if kind != "mse" or control.explained is None:
        return None
    return Attainable(str(control.by), control.explained, (1 - control.explained) * constant)


def _cross_entropy(share: float, classes: int) -> float:
    wrong = 1 - share
    return -sum(one * math.log(one / count) for one, count in ((share, 1), (wrong, classes - 1)) if one > 0)
