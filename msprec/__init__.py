"""msprec: finds out why a MindSpore training run ends with the wrong accuracy.

The public names are imported when they are first used, so that ``import msprec`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from msprec._version import __version__

if TYPE_CHECKING:
    from msprec.callbacks import LossScaleMonitor, NonFiniteMonitor, StepTimeMonitor
    from msprec.cpu_loss_scale import enable_loss_scale_on_cpu
    from msprec.errors import NonFiniteError

_WHERE = {
    "LossScaleMonitor": "msprec.callbacks",
    "NonFiniteError": "msprec.errors",
    "NonFiniteMonitor": "msprec.callbacks",
    "StepTimeMonitor": "msprec.callbacks",
    "enable_loss_scale_on_cpu": "msprec.cpu_loss_scale",
}

__all__ = [
    "LossScaleMonitor",
    "NonFiniteError",
    "NonFiniteMonitor",
    "StepTimeMonitor",
    "__version__",
    "enable_loss_scale_on_cpu",
]


def __getattr__(name: str):
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'msprec' has no attribute {name!r}")


def __dir__() -> list:
    return sorted(__all__)
