"""Reads the gradients of some training steps, as many as cost little, and writes what they tell."""

import sys
from typing import Callable, Optional

import numpy as np

from msprec.record.gradient_statistics import (
    COLUMNS,
    GradientHistory,
    ScaleAdvice,
    global_norm,
    gradient_of,
    update_ratio,
)
from msprec.record.step_recorder import to_number
from msprec.record.time_budget import Budget
from msprec.runtime import hook_points
from msprec.runtime.providers import provided
from msprec.runtime.tensor_snapshot import on_cpu, wait_for

#: Share of the run's time that samples may take.
SHARE = 0.005
#: So many sampled steps without a gradient, and the optimizer is taken to run inside compiled code.
MISSES = 3
#: Where no gradients can be read, which the mode and what is compiled may change, so many steps pass until it is tried again.
BLIND = 64
#: Share of the run's time for samples of gradients beside all other monitors: with all the rest at a step of 20 ms, about one per
#: cent.
GRADIENT_SHARE = 0.002
#: Seconds: puts the first sample, which took 0.1 s where measured, ten seconds after the start, as one per cent of them.
FIRST_SAMPLE = 0.02
#: The first step that is sampled beyond the share for being a power of two: the samples before it tell little of the second half.
SECOND_SAMPLE = 8


class GradientSampler:
    """Samples the gradients of steps.

    In PyNative mode the gradients are those that the optimizer is called with: its call is watched during the sampled
    step. In graph mode, where no Python is called, the step's forward and backward pass is run again in
    PyNative mode before it, and everything is put back; that is done on a CPU, in
    one process, and where the network's code prints and sets nothing.

    Args:
        writer: The run's writer.
        share: Share of the run's time that samples may take.
        every: Sample each so many steps instead, whatever it costs.
        replay: Whether steps may be run again; ``None``: on a CPU only, as elsewhere it takes device memory that the
            training may need.
        first_cost: Seconds that the first sample is reckoned with; 0: it is free.
        tries: Seconds that may be spent besides, until the first sample gives gradients, as the first ones that are looked at
            may be those of compiled code, which give none; and then, twice as many, at steps that are powers of two, so that a
            training that is too short for its share has one in its second half.
    """

    def __init__(
        self,
        writer,
        share: float = SHARE,
        every: Optional[int] = None,
        replay: Optional[bool] = None,
        first_cost: float = 0.0,
        tries: float = 0.0,
    ) -> None:
        self._writer, self._every, self._replay, self._tries = writer, every, replay, tries
        self._budget, self._misses = Budget(share, cost=first_cost), 0
        self._story, self._advice = GradientHistory(self._event), ScaleAdvice()
        self._open: Optional[_Sample] = None
        self._blind_until = 0
        #: Norms ``{step: global norm}``, the events told, and why gradients could not be read
        self.norms: dict[int, float] = {}
        self.events: list = []
        self.unavailable_reason: Optional[str] = None
        self.lost: dict[str, float] = {}
        self.steps = 0

    def due(self) -> bool:
        """Call it once a step, before it: whether this step is to be sampled, by `sample`."""
        self.steps += 1
        if self._every:
            return not self.steps % self._every
        return self.steps > max(1, self._blind_until) and self._affordable()

    def pass_by(self) -> None:
        """Counts a step that has begun without `due`, of as many as `quiet_for` told."""
        self.steps += 1

    def steps_until_due(self) -> int:
        """How many of the next steps are not to be sampled; by the time, some more than are asked for at once."""
        if self._every:
            return self._every - 1 - self.steps % self._every
        if self.steps < self._blind_until:
            return self._blind_until - self.steps
        return 0 if self.steps < 2 or self._affordable() else sys.maxsize

    def _affordable(self) -> bool:
        if self._budget.due():
            return True
        if not self.norms:
            return self._budget.spent < self._tries
        return self._budget.spent < 2 * self._tries and self.steps >= SECOND_SAMPLE and _is_power_of_two(self.steps)

    def begin(self, step: int, optimizer, *more, **named) -> None:
        """`sample`, where it is due."""
        if self.due():
            self.sample(step, optimizer, *more, **named)

    def sample(
        self, step: int, optimizer, scale=None, build: Optional[Callable] = None, roots: tuple = (), given=None
    ) -> None:
        """Call it before a step that is to be sampled, or in a functional loop before the optimizer is called.

        Args:
            step: Its number.
            optimizer: The optimizer.
            scale: The loss scale, a number or tensor; ``None``: 1.
            build: Makes what can be run again, a `ReplayedStep`; ``None``: nothing can.
            roots: The cells that ``build`` is about.
            given: The gradients that the optimizer is about to be called with, where they are at hand.
        """
        if optimizer is None:
            return
        if on_cpu():
            wait_for(optimizer.parameters)
        with self._budget.spending():
            again = None
            if given is None:
                unheard = self._misses >= MISSES or not _pynative()
                again = build if unheard and self._may_replay(build, roots) else None
                if unheard and again is None:  # before the weights are copied
                    self._blind_until, self._misses = self.steps + BLIND, min(self._misses, MISSES - 1)
                    return
            sample = self._open = _Sample(step, list(optimizer.parameters), to_number(scale) or 1.0)
            if given is not None:
                sample.gradients = flat(given)
            elif again is not None:
                sample.replayed(provided("replays").replayed_gradients(again))
            else:
                sample.listen(optimizer)

    def end(self, step: int) -> Optional[float]:
        """Call it after the step. Returns the global norm of its gradients, where it was sampled."""
        sample, self._open = self._open, None
        if sample is None:
            return None
        with self._budget.spending():
            sample.close()
            if sample.step != step or sample.gradients is None:
                self._misses += sample.gradients is None
                return None
            self._misses = 0
            return self._tell(sample)

    def close(self) -> None:
        """No step follows."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def summary(self) -> dict:
        """See `GradientMonitor.summary`."""
        norms = list(self.norms.values())
        worst = max(self.lost, key=self.lost.__getitem__, default=None)
        return {
            "samples": len(norms),
            "first_norm": norms[0] if norms else None,
            "last_norm": norms[-1] if norms else None,
            "median_norm": float(np.median(norms)) if norms else None,
            "max_norm": max(norms, default=None),
            "worst_underflow": (worst, self.lost[worst]) if worst is not None and self.lost[worst] else None,
            "largest_scale": self._advice.largest(),
            "smallest_scale": self._advice.smallest(),
            "events": list(self.events),
            "why_not": self.unavailable_reason if not norms else None,
        }

    def _may_replay(self, build, roots) -> bool:
        if build is None or self._replay is False:
            self.unavailable_reason = "the gradients of this step cannot be read"
            return False
        if self.unavailable_reason is None:
            allowed = bool(self._replay) or on_cpu()
            self.unavailable_reason = provided("replays").unavailable_reason(roots, allowed=allowed) or ""
        return not self.unavailable_reason

    def _tell(self, sample: "_Sample") -> Optional[float]:
        gradients = sample.statistics()
        if not gradients:
            return None
        norm = self.norms[sample.step] = global_norm(gradients)
        ratios = sample.update_ratios()
        self._story.add(sample.step, gradients, sample.weights)
        lines = []
        for name, one in gradients.items():
            self._advice.add(one)
            self.lost[name] = max(self.lost.get(name, 0.0), one.underflow)
            values = (
                sample.step,
                name,
                one.size,
                one.norm,
                one.max_abs,
                one.zeros,
                one.underflow,
                one.subnormal,
                one.nonfinite,
                ratios.get(name),
                sample.source,
            )
            lines.append(",".join(_cell(value) for value in values))
        self._writer.append("gradients.csv", "\n".join(lines) + "\n", header=",".join(COLUMNS) + "\n")
        return norm

    def _event(self, name: str, step: int, **facts) -> None:
        self.events.append({"event": name, "step": step, **facts})
        self._writer.event(name, step, **facts)


class _Sample:
    """One sampled step."""

    def __init__(self, step: int, parameters: list, scale: float) -> None:
        self.step, self.scale, self.source = step, scale, "optimizer"
        self.gradients: Optional[list] = None
        self._unscale: float = 1.0
        self._restore: Callable[[], None] = lambda: None
        self._parameters = parameters
        self._before = [_array(p).copy() for p in parameters]
        self.weights = {p.name for p in parameters if len(p.shape) > 1}

    def listen(self, optimizer) -> None:
        """Reads what the optimizer is called with, from Python: a hook registered on it would become part of a step that
        ``jit`` compiles now, which MindSpore 2.7 cannot do."""
        watched = hook_points.find("cell_call")
        if watched is None:
            return
        cells, original = watched.owner, watched.value

        def call(cell, *args, **kwargs):
            if cell is optimizer and args and self.gradients is None:
                self.gradients = flat(args[0])
            return original(cell, *args, **kwargs)

        def restore() -> None:
            cells.__call__ = original

        cells.__call__, self._restore = call, restore

    def replayed(self, found: Optional[tuple]) -> None:
        """Takes ``(gradients, factor)``: gradients that are ``factor`` times too large."""
        self.source = "replay"
        if found is not None:
            self.gradients, self._unscale = flat(found[0]), found[1]

    def close(self) -> None:
        """Listens no more."""
        self._restore()

    def statistics(self) -> dict:
        """``{parameter: Gradient}``, of those whose gradient has the parameter's shape."""
        if self.gradients is None or len(self.gradients) != len(self._parameters):
            return {}
        pairs = zip(self._parameters, self.gradients)
        arrays = {p.name: _array(g) for p, g in pairs if hasattr(g, "asnumpy") and tuple(g.shape) == tuple(p.shape)}
        if self._unscale != 1:
            arrays = {name: array.astype(np.float32) / np.float32(self._unscale) for name, array in arrays.items()}
        return {name: gradient_of(array, self.scale) for name, array in arrays.items()}

    def update_ratios(self) -> dict:
        """``{parameter: relative size of the update}`` of the parameters that were not zero."""
        ratios = {p.name: update_ratio(b, _array(p)) for p, b in zip(self._parameters, self._before)}
        return {name: ratio for name, ratio in ratios.items() if ratio is not None}


def flat(gradients) -> list:
    """Gradients as an optimizer takes them: a tuple, a list, or a single tensor."""
    return list(gradients) if isinstance(gradients, (tuple, list)) else [gradients]


def _is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def _pynative() -> bool:
    import mindspore as ms

    return ms.get_context("mode") == ms.PYNATIVE_MODE


def _array(tensor) -> np.ndarray:
    # NumPy has no bfloat16 of its own
    return (tensor.float() if str(tensor.dtype) == "BFloat16" else tensor).asnumpy()


def _cell(value) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if "," in value or '"' in value else value
    return repr(value)
