"""The order of operations in a training step: what happens to loss, loss scale and gradients, without running anything."""

from msprec.source.flow.events import Event, ExecutionPath
from msprec.source.flow.path_exploration import execution_paths

__all__ = ["Event", "ExecutionPath", "execution_paths"]
