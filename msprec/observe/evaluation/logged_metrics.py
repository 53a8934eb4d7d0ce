"""Metrics that the script hands to `msprec.log_metric` while it is observed."""

import re
from typing import Any, Optional

from msprec.metrics import take
from msprec.record.step_recorder import to_number
from msprec.runtime.source_locations import user_place

_MOST = 20_000
_TRAINING = re.compile(r"train", re.IGNORECASE)


class LoggedMetrics:
    """One entry for each call, with the training step after which it came."""

    def __init__(self, observer) -> None:
        self.observer, self.found = observer, []

    def install(self) -> None:
        self._end = take(self._logged)

    def _logged(self, name: str, value: Any, step: Optional[int]) -> bool:
        if self.observer.finished:
            self._end()
            return False
        self.observer.guarded_call(self._record, name, value, step)
        return True

    def _record(self, name: str, value: Any, step: Optional[int]) -> None:
        number, after = float(to_number(value)), self.observer.steps.updated if step is None else step
        self.observer.writer.event("metric", after, name=name, value=number)
        if _TRAINING.search(name) or len(self.found) >= _MOST:
            return
        self.found.append(
            {
                "step": after,
                "epoch": self.observer.datasets.epoch,
                "metrics": {name: number},
                "place": user_place(1),
                "via": "log_metric",
                "dataset": None,
            }
        )
