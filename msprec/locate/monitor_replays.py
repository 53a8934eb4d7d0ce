"""What the monitors of `msprec.callbacks` need to run a step again, handed in as ``"replays"`` (`msprec.runtime.providers`)."""

from msprec.locate.gradients import replayed_gradients, unavailable_reason
from msprec.locate.online import Locator, WeightCopies
from msprec.locate.replay import of_train_cell

__all__ = ["Locator", "WeightCopies", "of_train_cell", "replayed_gradients", "unavailable_reason"]
