"""The scales of a regression's targets, one beside the other and against 0 (td.08)."""

import math
from typing import NamedTuple, Optional

from msprec.checklists.common.training.constant_prediction import REGRESSION, LossKind, loss_kind, target_column
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: More outputs than this are a picture, a spectrum or an embedding.
_MOST = 12


class Targets(NamedTuple):
    """The targets of a regression as the data deliver them.

    Attributes:
        dataset, column: Where they come from.
        loss: What they are compared by.
        mean, std: Of each output.
    """

    dataset: Fact
    column: Fact
    loss: LossKind
    mean: list
    std: list

    @property
    def whole_std(self) -> float:
        """Root mean square of the standard deviations."""
        return math.sqrt(sum(one**2 for one in self.std) / len(self.std))

    @property
    def spread(self) -> float:
        """Largest ÷ smallest standard deviation among the outputs that vary; 1 with less than two."""
        varying = [one for one in self.std if one > 0]
        return max(varying) / min(varying) if len(varying) > 1 else 1.0

    @property
    def offset(self) -> float:
        """Distance of the means from 0 in standard deviations; 0 for targets that do not vary."""
        distance = math.sqrt(sum(one**2 for one in self.mean) / len(self.mean))
        return distance / self.whole_std if self.whole_std > 0 else 0.0


def regression_targets(run_data: RunData) -> Optional[Targets]:
    """None where the loss is no regression's, or the targets are not known as they enter it."""
    loss = run_data.once(loss_kind)
    if loss is None or loss.kind not in REGRESSION:
        return None
    for dataset in run_data.datasets_of("train"):
        column = target_column(run_data, loss, dataset)
        if column is None or column.kind not in ("float", "int") or None in (column.mean, column.std):
            continue
        channels = column.channels
        several = len(column.shape) == 1 and 1 < len(channels.std) <= _MOST and len(channels.mean) == len(channels.std)
        mean, std = (channels.mean, channels.std) if several else ([column.mean], [column.std])
        return Targets(dataset, column, loss, list(mean), list(std))
    return None


def loss_terms(run_data: RunData) -> list[tuple]:
    """``[(name, value, place), …]`` of the losses that one step computed, where it computed several."""
    probes = run_data.probes
    found = [(one.name or one.kind, one.value, one.place) for one in probes.losses if one.value is not None]
    found += [(one.name, one.value, one.place) for one in probes.own_losses if one.value is not None and not one.final]
    return [one for one in found if math.isfinite(one[1])] if len(found) > 1 else []
