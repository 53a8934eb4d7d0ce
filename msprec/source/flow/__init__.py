"""The order of operations in a training step: what happens to loss, loss scale and gradients, without running anything."""

from msprec.source.flow.events import Event, World
from msprec.source.flow.worlds import worlds, worlds_of_function

__all__ = ["Event", "World", "worlds", "worlds_of_function"]
