"""NaN and infinity in the loss, in gradients and in parameters."""

from msprec.callbacks._base import Monitor
from msprec.callbacks.finite_parameters import FiniteParameters
from msprec.callbacks.kept_steps import CPU_STEPS, DEVICE_STEPS, StepKeeper, save_step
from msprec.callbacks.tallies import FirstBadGradient, FirstNonFinite
from msprec.callbacks.tensors import on_cpu
from msprec.errors import NonFiniteError

POLICIES = ("record", "warn", "stop", "raise")


class NonFiniteMonitor(Monitor):
    """Tells the first step whose loss, gradients or parameters hold NaN or infinity.

    Each is one event ``first_nonfinite`` in the run folder, with ``what``:

    - ``"loss"``: the step is exact. Its batch and random state, as they were before the step, are written to
      ``rank_N/nonfinite/`` (``batch.npz``, ``state.json``).
    - ``"gradient"``: an overflow flag at a loss scale of 1 or less, or without any scale: the scaling cannot have made
      it. The step is exact. Where the training cell has no flag, gradients are not visible here.
    - ``"parameter"``: looked at when the loss went bad, at the end of an epoch and at the end of the training, in no more
      than 0.5 % of the time; it happened at this step or before. Moving means and variances count.

    Args:
        policy: ``"record"``: events only. ``"warn"``: a line of warning too. ``"stop"``: warn, and stop the training at
            that step. ``"raise"``: raise `msprec.NonFiniteError` at that step. The last two read the loss at each step,
            which makes the host wait for the device.
        out: The run folder, as for `LossScaleMonitor`.

    Raises:
        ValueError: ``policy`` is none of these.
    """

    lets_pass = (NonFiniteError,)

    def __init__(self, policy: str = "warn", out=None) -> None:
        super().__init__(out)
        if policy not in POLICIES:
            raise ValueError(f"policy is one of {', '.join(POLICIES)}; got {policy!r}")
        self.policy = policy
        self._finding = self._gradient = self._parameters = self._keeper = None
        self.bad_parameters, self._found = [], False

    @property
    def first(self):
        """``(step, value)`` of the first non-finite loss seen so far in this run, or ``None``."""
        if self._finding is None or self._finding.step is None:
            return None
        return self._finding.step, self._finding.value

    def on_train_begin(self, run_context) -> None:
        super().on_train_begin(run_context)
        recorder, warn = self.recorder, self.policy != "record"
        finding = FirstNonFinite(recorder.writer.event, warn=warn)
        self._finding = recorder.add_listener(finding, name="first non-finite")
        bad_gradient = FirstBadGradient(recorder.writer.event, warn=warn)
        self._gradient = recorder.add_listener(bad_gradient, name="first bad gradient")
        network = run_context.original_args().get("train_network")
        self._parameters = FiniteParameters(network) if network is not None else None
        self._keeper = StepKeeper(CPU_STEPS if on_cpu() else DEVICE_STEPS)

    def on_train_step_begin(self, run_context) -> None:
        super().on_train_step_begin(run_context)
        parameters = run_context.original_args()
        if self._keeper is not None and not self._found and not parameters.get("dataset_sink_mode"):
            self._keeper.begin(self.training.step(), parameters.get("train_dataset_element"))

    def on_train_step_end(self, run_context) -> None:
        super().on_train_step_end(run_context)
        if self.training is None or self._found:
            return
        at_once = self.policy in ("stop", "raise")
        found = self._keeper.end(self.training.step(), self.training.loss, at_once)
        if found is not None:
            self._lost(*found)
            self._act(run_context, *found)

    def on_train_epoch_end(self, run_context) -> None:
        super().on_train_epoch_end(run_context)
        if self._parameters is not None and self._parameters.due():
            self._look_at_parameters()

    def _lost(self, step: int, value: float) -> None:
        """The loss of ``step`` is not finite: tells it, and keeps what the step began with."""
        self._found = True
        self._finding.found(step, value)
        kept = self._keeper.kept(step)
        if kept is not None:
            save_step(self.recorder.writer.rank_folder / "nonfinite", kept)
        self._look_at_parameters()

    def _look_at_parameters(self) -> None:
        if self._parameters is None or self.bad_parameters:
            return
        bad = self.bad_parameters = self._parameters.bad()
        if bad:
            step = self.training.step() if self.training is not None else self.recorder.last_step
            self.recorder.writer.event("first_nonfinite", step, what="parameter", parameters=bad[:20], count=len(bad))

    def _act(self, run_context, step: int, value: float) -> None:
        if self.policy == "stop":
            self.recorder.writer.event("stopped", step, why=f"the loss is {value}")
            run_context.request_stop()
        elif self.policy == "raise":
            raise NonFiniteError(f"the loss is {value} at step {step}; see {self.recorder.writer.folder}")

    def on_train_end(self, run_context) -> None:
        if self._keeper is not None and self.training is not None and not self._found:
            found = self._keeper.rest()
            if found is not None:
                self._lost(*found)
        if self._parameters is not None and self._parameters.due():
            self._look_at_parameters()
        super().on_train_end(run_context)

    def _training_over(self) -> None:
        self._keeper = self._parameters = None
