"""Gradients, sampled while a training runs."""

from typing import Optional

from msprec.callbacks.base import UNSET, Monitor
from msprec.callbacks.gradient_sampler import SHARE, GradientSampler
from msprec.callbacks.train_context import optimizer_of
from msprec.record.step_recorder import to_number
from msprec.runtime.providers import provided


class GradientMonitor(Monitor):
    """Records norms of gradients, what float16 would lose of them, and the size of updates, by parameter.

    In PyNative mode the gradients that the optimizer is called with are read: unscaled, and clipped where the training
    clips. In graph mode the forward and backward pass of a step is run again in PyNative mode, before the step; weights,
    random state and everything else are put back. That is not done with several ranks, and not where the network's code
    prints or sets attributes. As many steps are sampled as fit in a share of the run's time.

    Written to ``rank_N/gradients.csv``, a row for each parameter of a sampled step; events: ``gradient_exploding`` (the
    global norm is 100 times its median over the samples before), ``gradient_vanishing`` (in three samples in a row, the
    root mean square of the non-zero elements of a weight's gradient is below 1e-5 of the largest one's).

    Args:
        out: The run folder, as for `LossScaleMonitor`.
        share: Share of the run's time that samples may take.
        every: Sample each so many steps instead, whatever it costs.
        replay: Whether to run steps again in graph mode; ``None``: on a CPU only, as it takes device memory.
        first_cost: Seconds that the first sample is reckoned with, so that it waits for ``first_cost / share`` seconds of
            training; 0: it is free, and the second step is sampled.

    Examples:
        >>> model.train(10, dataset, callbacks=[GradientMonitor(every=100)])
    """

    def __init__(
        self,
        out=None,
        share: float = SHARE,
        every: Optional[int] = None,
        replay: Optional[bool] = None,
        first_cost: float = 0.0,
    ):
        super().__init__(out)
        self._settings = (share, every, replay, first_cost)
        self._sampler: GradientSampler = UNSET
        self._optimizer = None

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        self._optimizer = optimizer_of(run_context.original_args())
        if self._sampler is None:
            self._sampler = GradientSampler(self.recorder.writer, *self._settings)

    def before_step(self, step: int, run_context) -> None:
        if self._sampler is None or not self._sampler.due():
            return
        parameters = run_context.original_args()
        if parameters.get("dataset_sink_mode"):
            return
        cell, batch = parameters.get("train_network"), parameters.get("train_dataset_element")
        inputs = batch if isinstance(batch, tuple) else tuple(batch or ())
        scale = self.training.scale()

        def build():
            return provided("replays").of_train_cell(cell, inputs, to_number(scale))

        self.at_once = True
        self._sampler.sample(step, self._optimizer, scale, build, (cell,))

    def steps_until_due(self) -> int:
        return self._sampler.steps_until_due() if self._sampler is not None else 0

    def passed_step(self, step: int) -> None:
        self._sampler.pass_by()

    def after_step(self, step: int, run_context) -> None:
        self.at_once = False
        norm = self._sampler.end(step) if self._sampler is not None else None
        if norm is not None:
            self.recorder.put(step, grad_norm=norm)

    def summary(self) -> Optional[dict]:
        """What the samples so far tell; ``None`` before the first training.

        Returns:
            dict, ``None`` where something is not known:

            - ``samples``: int; ``first_norm``, ``last_norm``, ``median_norm``, ``max_norm``: float, global norms.
            - ``worst_underflow``: ``(parameter, share)``: the largest share of a gradient's elements that is not zero
              and becomes zero in float16 at the present scale.
            - ``largest_scale``: float, the largest power of two at which no gradient seen exceeds 65504;
              ``smallest_scale``: float, the smallest at which all but 0.1 % of the non-zero elements stay at or above
              2**-24. Gradients of activations, which are not seen, may overflow earlier.
            - ``events``: list of dict, the events told; ``why_not``: str, why nothing could be read.
        """
        return self._sampler.summary() if self._sampler is not None else None

    def _training_over(self, error=None) -> None:
        self._optimizer = None
        if self._sampler is not None:
            self._sampler.close()
