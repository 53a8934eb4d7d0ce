"""What a training would have reached by giving each sample the class of its nearest neighbour (td.01)."""

import math
from typing import NamedTuple, Optional

from msprec.checklists.common.constant_prediction import BesideConstant
from msprec.engine.run_data import RunData

#: Samples whose nearest neighbour is the window before or after in one series: neighbours tell nothing of what can be learnt.
_WINDOWS = 0.02


class Neighbours(NamedTuple):
    """``agreement``: the share of samples whose nearest neighbour has their class; ``loss``: the cross-entropy of giving that
    class this share and all others the rest alike."""

    agreement: float
    loss: float


def behind_neighbours(run_data: RunData, outcome: BesideConstant) -> Optional[Neighbours]:
    """The nearest neighbours of a training that took less than td.01.neighbours of what they take from the constant's loss.

    None where it took more, where neighbours are not known, and where they take less than td.01.well of the constant's loss.
    They are samples of the training data, each without itself: what a network is trained on it can do better than they.
    """
    control, constant = run_data.probes.label_control, outcome.constant
    if control.agreement is None or constant is None or outcome.end is None or (control.shifted or 0.0) > _WINDOWS:
        return None
    losses = run_data.probes.losses
    shape = list(losses[0].predicted.shape or ()) if len(losses) == 1 else []
    classes = max(2, shape[1] or 2) if len(shape) == 2 else 2
    neighbours = Neighbours(control.agreement, _cross_entropy(control.agreement, classes))
    taken, possible = constant.value - outcome.end, constant.value - neighbours.loss
    if (
        possible < run_data.limit("td.01.well") * constant.value
        or taken >= run_data.limit("td.01.neighbours") * possible
    ):
        return None
    return neighbours


def _cross_entropy(share: float, classes: int) -> float:
    wrong = 1 - share
    return -sum(one * math.log(one / count) for one, count in ((share, 1), (wrong, classes - 1)) if one > 0)
