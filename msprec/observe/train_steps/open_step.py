"""A step that has begun, and values of its row that are worked out when the row is written."""

import time

from msprec.record.step_recorder import to_number


class Unscaled:
    """A scaled loss whose division by the scale waits until the row is written."""

    def __init__(self, loss, scale) -> None:
        self.loss, self.scale = loss, scale

    def asnumpy(self):
        return to_number(self.loss) / to_number(self.scale)


class Opposite:
    """The opposite of a flag, read when the row is written."""

    def __init__(self, flag) -> None:
        self.flag = flag

    def asnumpy(self):
        return not to_number(self.flag)


class NotUpdated:
    """Whether an optimizer's count stayed as it was, read when the row is written."""

    def __init__(self, before, after) -> None:
        self.before, self.after = before, after

    def asnumpy(self):
        return to_number(self.after) == to_number(self.before)


class OpenStep:
    """A step that has begun and whose row is not yet written.

    Args:
        entry: Its style's entry of ``train_step.json``.
        number: Its number, from 1.
    """

    def __init__(self, entry: dict, number: int) -> None:
        self.entry, self.number = entry, number
        self.began, self.seconds = time.perf_counter(), 0.0
        self.loss = self.overflow = self.rate = None
        # the loss scaler that the step uses and its state (scale, counter) before it
        self.scaler, self.state, self.next_scale = None, (None, None), None
        self.updates = None  # the optimizer's count before a compiled step
        self.wait = self.epoch = self.batch = None
        self.forwards, self.applied = 1, False
        # whether the loss holds the loss scale, and whether the compiled function that gave it has taken it off
        self.loss_is_scaled = self.loss_was_unscaled = False
        self.weight = None  # a weight and its values when the step began, of a run without optimizers
        # the function that is differentiated, and the ids of the optimizers that have made their update
        self.function, self.updated_by = None, set()

    @property
    def scale(self):
        """The loss scale that the step is computed with, or None."""
        return self.state[0]

    def ends_now(self) -> None:
        """Its time is over."""
        self.seconds = time.perf_counter() - self.began
