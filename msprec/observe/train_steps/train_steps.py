"""The training steps of a run, in every style a script can have: what the styles share, from a step's beginning to its row.

Styles: `CellSteps`, `JitSteps` and `FunctionalSteps`. Which of them a call belongs to is told by `StepHooks`.
"""

import contextlib
from collections.abc import Iterator
from typing import Optional

from msprec.callbacks.gradient_sampler import GradientSampler
from msprec.errors import SweepDone
from msprec.observe.network.copies import note_first_call
from msprec.observe.train_steps.cell import CellSteps
from msprec.observe.train_steps.functional import FunctionalSteps
from msprec.observe.train_steps.hooks import StepHooks
from msprec.observe.train_steps.jit import JitSteps
from msprec.observe.train_steps.kept_few import MOST_KEPT
from msprec.observe.train_steps.loss_facts import LossFacts
from msprec.observe.train_steps.loss_scaling import LossScaling
from msprec.observe.train_steps.open_step import OpenStep
from msprec.observe.train_steps.replay_buffer import ReplayObserver
from msprec.observe.train_steps.style_facts import StyleFacts
from msprec.probe.steps.captured_trainings import CapturedTrainings
from msprec.probe.steps.evaluation_calls import EvaluationCalls
from msprec.runtime.cells import is_internal, is_loss_class, is_optimizer_class, parameter_names, unwrap, walk
from msprec.runtime.closure_scan import Reached, reached_from
from msprec.runtime.environment import reading_waits
from msprec.runtime.source_locations import user_place

_KEPT_FUNCTIONS = 16
#: Networks that are only called of which the last so many are held.
EVALUATED = 8
#: The dtypes of the inputs are asked for at so many first steps, and then once in so many.
_ALL_DTYPES = 64
#: Seconds for reading gradients until some are read: a short training on a loaded machine would have none.
_TRIES = 0.3


class StepObserver:
    """Finds the training steps and hands each to the recorder.

    Args:
        observer: The run's observer.
    """

    def __init__(self, observer) -> None:
        self.observer = observer
        #: Steps done; calls of cells and compiled functions, and gradient computations, that are under way
        self.done, self.depth, self.gradient_depth = 0, 0, 0
        self.replays = ReplayObserver(observer.writer, observer.options.locate, observer.options.again)
        self.gradients, self.material = GradientSampler(observer.writer, tries=_TRIES), CapturedTrainings()
        self.evaluations = EvaluationCalls()
        self.loss_facts, self.scaling = LossFacts(), LossScaling()
        self.style_facts = StyleFacts(observer, self.scaling.scalers)
        self.cells, self.jit, self.functional = CellSteps(self), JitSteps(self), FunctionalSteps(self)
        #: Networks that are trained, and the last that are only called; dtypes of the inputs of steps
        self.roots, self.eval_roots, self.input_dtypes = [], [], set()
        #: Of the networks that are only called: their values at the first call, by id (msprec/observe/network/copies.py)
        self.first_called: dict = {}
        self._reached, self._noted = {}, set()
        #: The pass in which the rate was asked for last, and whether reading it waits for the device
        self._rated_in, self._reading_waits = -1, False

    def install(self, patches) -> None:
        StepHooks(self).install(patches)
        self.scaling.install(patches)

    # what others ask

    @property
    def open(self) -> Optional[OpenStep]:
        """The step of a functional loop whose row is not yet written."""
        return self.functional.open

    @property
    def updated(self) -> int:
        """Training steps whose update is made; one on plain arrays stays open until the next begins."""
        return self.done + (self.open is not None and self.open.applied)

    @property
    def holds_all(self) -> bool:
        """Whether all networks that were run are held."""
        return len(self.roots) < MOST_KEPT and len(self.eval_roots) < EVALUATED

    @property
    def accumulation(self) -> int:
        """The most gradient computations that an update of a functional loop had."""
        return self.functional.accumulation

    def data_arrived(self) -> None:
        """The next batch is there."""
        self.functional.data_arrived()

    def close_open(self) -> None:
        """Writes the row of a functional step that is still open."""
        self.functional.close()

    def facts(self, final: bool = False) -> dict:
        """``train_step.json``."""
        return self.style_facts.facts(self.done, self.accumulation, final)

    # what the styles share

    @contextlib.contextmanager
    def in_gradient(self) -> Iterator[None]:
        """Gradients are computed inside."""
        self.gradient_depth += 1
        try:
            yield
        finally:
            self.gradient_depth -= 1

    def what_reaches(self, function, owner=None, differentiated: bool = False) -> Reached:
        """What ``function`` reaches, from a store of the last few; ``differentiated``: its gradient is computed."""
        key = (id(getattr(function, "__func__", function)), id(owner), differentiated)
        if key not in self._reached:
            # a loop may make a new function each step, with its batch in the closure: only a few are kept
            if len(self._reached) >= _KEPT_FUNCTIONS:
                del self._reached[next(iter(self._reached))]
            # the function is kept so that its id stays its own
            self._reached[key] = (function, reached_from(function, owner, differentiated))
        return self._reached[key][1]

    def begun(self, entry: dict) -> OpenStep:
        """A step begins; ``entry`` is that of its style."""
        self.observer.guarded_call(self.observer.evaluating.assigned.training_begins)
        step, datasets = OpenStep(entry, self.done + 1), self.observer.datasets
        self.observer.guarded_call(self.observer.replicas.before, step.number)
        step.wait, step.epoch = datasets.take_wait(), datasets.epoch
        step.batch = datasets.last.last_count if datasets.last is not None else None
        return step

    def finish(self, step: OpenStep) -> None:
        """The step is over: its row goes to the recorder."""
        self.done += 1
        self.observer.write_step(step, self.gradients.end(step.number))
        self.replays.end(step.number, step.loss, step.overflow, step.scale)

    def was_none(self, step: OpenStep) -> None:
        """What was called is no step but its end: an update with the gradients that the steps before have added up."""
        step.entry["count"] -= 1
        self.gradients.close()
        self.replays.drop(step.number)

    def rate(self, optimizers):
        """The first optimizer's rate in the step that begins: a number, or what gives it when the row is written."""
        if self.observer.options.sweep is not None:
            try:
                self.observer.options.sweep.before(list(optimizers))
            except SweepDone:
                self.functional.open = None  # a step that will never update
                raise
        rates = [self.observer.optimizers.in_use(o) for o in optimizers]
        if not rates:
            return None
        self.observer.optimizers.takes_part(optimizers, self.done)
        passes = self.observer.datasets.epoch
        anew = passes != self._rated_in  # it may be set from one pass to the next
        if anew:
            self._rated_in, self._reading_waits = passes, reading_waits()
        rates[0].before(anew=anew or not self._reading_waits)
        return rates[0].fields().get("lr")

    def sample(self, step: OpenStep, optimizers, build=None, roots=(), given=None) -> None:
        """Samples the step's gradients, where it is due."""
        if optimizers and self.replays.again is None:
            self.gradients.begin(step.number, optimizers[0], step.scale, build, tuple(roots), given)

    def offer(self, *what, **named) -> None:
        """Offers the step to the probes; see `Material.offer`."""
        if self.observer.options.probes and self.replays.again is None:
            self.observer.guarded_call(self._offer, what, named)

    def _offer(self, what: tuple, named: dict) -> None:
        self.material.offer(*what, delivered=self.observer.datasets.last_columns, **named)

    # what trains

    def note_trained(self, roots: list, optimizers, cells: list, parameters: tuple = ()) -> None:
        """Remembers networks and parameters the first time that they train; ``parameters``: those that stand in no cell."""
        key = (*map(id, roots), *map(id, optimizers), *map(id, parameters))
        if key in self._noted:
            return
        self._noted.add(key)
        roots = [root for root in roots if self._keep_root(root)]
        for cell in (*cells, *roots):
            for _, inner in walk(cell):
                if is_loss_class(type(inner)):
                    self.loss_facts.note_cell(inner)
        extra = [*parameters, *(p for o in optimizers for p in o.parameters)]
        # layers may have been put into a known network since: another optimizer begins another training
        known = [root for root in self.roots if optimizers and not any(root is one for one in roots)]
        self.observer.parameters.note([*roots, *known], extra, self.done)
        for optimizer in optimizers:
            self.observer.optimizers.in_use(optimizer)
        self.observer.step_seen()

    def _keep_root(self, root) -> bool:
        """Adds a trained network; a script that makes one after the other (folds, a search) is not held in memory by us."""
        if any(root is known for known in self.roots):
            return True
        if is_optimizer_class(type(root)) or len(self.roots) >= MOST_KEPT:
            return False
        self.roots.append(root)
        return True

    def note_inputs(self, args: tuple, function) -> None:
        """What a step is called with, where no pipeline delivered it: the columns of a data set of its own."""
        for value in args if self.done < _ALL_DTYPES or not self.done % _ALL_DTYPES else ():
            if hasattr(value, "asnumpy") and hasattr(value, "dtype"):
                self.input_dtypes.add(str(value.dtype).lower())
        if self.observer.datasets.piped:
            return
        names = parameter_names(function)
        if len(names) < len(args) or any(n in ("args", "inputs") for n in names[: len(args)]):
            names = [f"input_{i}" for i in range(len(args))]
        self.observer.datasets.step_inputs(names, list(args))

    def note_step_inputs(self, via: str, network, function, args: tuple) -> None:
        """What a step's function is called with, by the names of its parameters."""

        def names() -> list:
            found = parameter_names(function)
            return found[1:] if found[:1] == ["self"] else found

        self.observer.inputs.note("train", via, "step", unwrap(network), args, user_place(), names)

    def note_forward(self, cell, args: tuple, kwargs: Optional[dict] = None) -> None:
        """A network is called: inside a gradient computation it trains, elsewhere it is evaluated.

        ``kwargs``: None where ``args`` are not what the cell itself is called with.
        """
        root, observer = unwrap(cell), self.observer
        if is_internal(type(root)):
            return  # such as what ops.clip_by_global_norm makes anew at each call
        if self.gradient_depth:
            if not any(root is r for r in self.roots) and self._keep_root(root):
                observer.parameters.note([root], [], self.done)
            observer.modes.note("train", "call", root, user_place(), self.done, True)
            observer.inputs.note("train", "call", "network", root, args, user_place())
            return
        phase, via = observer.models.phase_of(cell)
        if not any(root is r for r in self.eval_roots):
            self.eval_roots = [*self.eval_roots[1 - EVALUATED :], root]
            note_first_call(self, root)
        observer.datasets.feeds_other(phase if phase in ("eval", "predict") else None)
        entry = observer.modes.note(phase, via, root, user_place(), self.updated, False)
        if kwargs is not None and self.done and observer.options.probes:
            self.evaluations.offer(entry, cell, args, kwargs)
        observer.evaluating.trained_samples.called(args)
        level = "network" if root is cell else "step"
        observer.inputs.note(phase, via, level, root, args, user_place())
