"""A learning-rate schedule times a factor; in a file of its own because MindSpore compiles it."""

from mindspore.nn.learning_rate_schedule import LearningRateSchedule


class Scaled(LearningRateSchedule):
    """``schedule`` times ``factor``."""

    def __init__(self, schedule, factor: float) -> None:
        super().__init__()
        self.schedule, self.factor = schedule, factor

    def construct(self, global_step):
        return self.schedule(global_step) * self.factor
