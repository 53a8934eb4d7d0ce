"""msprec: finds out why a MindSpore training run ends with the wrong accuracy.

The public names are imported when they are first used, so that ``import msprec`` costs nothing.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from msprec._version import __version__
from msprec.runtime.collection import no_collection
from msprec.runtime.providers import provide

if TYPE_CHECKING:
    from msprec.callbacks import (
        GradientMonitor,
        LossScaleMonitor,
        NonFiniteMonitor,
        PrecisionMonitor,
        StepTimeMonitor,
    )
    from msprec.callbacks.recorder_cell import RecorderCell, keep_steps
    from msprec.callbacks.watch import watch
    from msprec.errors import NonFiniteError
    from msprec.metrics import log_metric
    from msprec.range_test.lr_finder import LearningRateFinder
    from msprec.runtime.cpu_loss_scale import enable_loss_scale_on_cpu

_WHERE = {
    "GradientMonitor": "msprec.callbacks",
    "LearningRateFinder": "msprec.range_test.lr_finder",
    "LossScaleMonitor": "msprec.callbacks",
    "NonFiniteError": "msprec.errors",
    "NonFiniteMonitor": "msprec.callbacks",
    "PrecisionMonitor": "msprec.callbacks",
    "RecorderCell": "msprec.callbacks.recorder_cell",
    "StepTimeMonitor": "msprec.callbacks",
    "keep_steps": "msprec.callbacks.recorder_cell",
    "log_metric": "msprec.metrics",
    "watch": "msprec.callbacks.watch",
    "enable_loss_scale_on_cpu": "msprec.runtime.cpu_loss_scale",
}

MINDSPORE_MISSING = (
    "this needs MindSpore, which this Python does not have: pip install mindspore 'numpy<2' (on Ascend or GPU, the wheel for "
    "that device)"
)
__all__ = [
    "GradientMonitor",
    "LearningRateFinder",
    "LossScaleMonitor",
    "NonFiniteError",
    "NonFiniteMonitor",
    "PrecisionMonitor",
    "RecorderCell",
    "StepTimeMonitor",
    "__version__",
    "enable_loss_scale_on_cpu",
    "keep_steps",
    "log_metric",
    "watch",
]

provide("replays", lambda: import_module("msprec.locate.monitor_replays"))
provide("training_facts", lambda: import_module("msprec.observe.callback_facts"))

# in a checkout that is not installed in editable mode, `msprec.checklists` lies beside the package (setup.cfg: package_dir)
_beside = Path(__file__).resolve().parent.parent
if (
    not (Path(__file__).resolve().parent / "checklists").is_dir()
    and (_beside / "checklists" / "ds" / "__init__.py").is_file()
):
    __path__.append(str(_beside))


def __getattr__(name: str):
    if name in _WHERE:
        try:
            with no_collection():
                return getattr(import_module(_WHERE[name]), name)
        except ModuleNotFoundError as error:
            if error.name != "mindspore":
                raise
            raise ImportError(f"msprec.{name}: {MINDSPORE_MISSING}") from None
    raise AttributeError(f"module 'msprec' has no attribute {name!r}")


def load_ipython_extension(shell) -> None:
    """``%load_ext msprec`` in a notebook: what its cells do with MindSpore is recorded from then on; ``%%msprec`` above a cell
    makes that cell a run with a report."""
    import_module("msprec.notebook.extension").load(shell)


def unload_ipython_extension(shell) -> None:
    """``%unload_ext msprec``"""
    import_module("msprec.notebook.extension").unload(shell)


def __dir__() -> list:
    return sorted(__all__)
