"""A schedule whose rate is set from outside; graph mode wants it in a file of its own."""

from mindspore.nn.learning_rate_schedule import LearningRateSchedule


class Swept(LearningRateSchedule):
    """Gives the value of a Parameter, whatever the step.

    Args:
        rate: A scalar float32 Parameter.
    """

    def __init__(self, rate) -> None:
        super().__init__()
        self.rate = rate

    def construct(self, global_step):
        return self.rate
