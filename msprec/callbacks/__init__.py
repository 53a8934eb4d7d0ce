"""Callbacks for ``Model.train`` that record what a training does; one monitor a file. They write the run folder that
``msprec run`` writes, so that ``msprec checklist --run FOLDER`` reads what they left."""

import mindspore  # noqa: F401  # before our own modules: under `msprec run` its import brings the observer, which uses them

from msprec.callbacks.gradients import GradientMonitor
from msprec.callbacks.loss_scale import LossScaleMonitor
from msprec.callbacks.non_finite import NonFiniteMonitor
from msprec.callbacks.precision import PrecisionMonitor
from msprec.callbacks.step_time import StepTimeMonitor
from msprec.runtime.tensor_snapshot import snapshot

#: What watches a training: `msprec run` puts these in, `PrecisionMonitor` is made of them, in the order in which they are called.
MONITORS = (LossScaleMonitor, NonFiniteMonitor, GradientMonitor, StepTimeMonitor)

__all__ = [
    "MONITORS",
    "GradientMonitor",
    "LossScaleMonitor",
    "NonFiniteMonitor",
    "PrecisionMonitor",
    "StepTimeMonitor",
    "snapshot",
]
