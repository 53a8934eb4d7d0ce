"""The order of operations in a training step: what happens to loss, loss scale and gradients, without running anything."""

from msprec.source.flow.events import Event, World
from msprec.source.flow.worlds import ways_of

__all__ = ["Event", "World", "ways_of"]
