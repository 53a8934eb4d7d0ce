"""Steps of a training cell that is called: ``TrainOneStepCell`` and any cell that holds an optimizer. ``Model.train`` calls
its training cell too; there the callbacks record the rows and the steps are only counted."""

from typing import Optional

from msprec.callbacks.recorder_cell import without_recorder
from msprec.callbacks.train_outputs import StepOutputs
from msprec.locate.replay import of_train_cell
from msprec.observe.network.modes import trained_networks
from msprec.observe.train_steps.kept_few import KeptFew
from msprec.observe.train_steps.open_step import OpenStep
from msprec.record.step_recorder import to_number
from msprec.runtime.cells import optimizers_in, unwrap
from msprec.runtime.source_locations import user_place
from msprec.runtime.tensor_snapshot import on_cpu

#: Steps after which a training cell is searched for its optimizers and networks again: one that was made before may have been
#: put in.
_LOOK_AGAIN = 16


class _Held:
    """What a training cell holds, when it was looked at last."""

    def __init__(self, cell) -> None:
        self.cell = cell
        #: Optimizers that the script had made by then
        self.made = -1
        self.optimizers: list = []
        self.networks: list = []
        self.network = None

    def look(self, made: int) -> None:
        """Looks at the cell; the script has made so many optimizers."""
        self.made, self.optimizers = made, optimizers_in(self.cell)
        self.networks, self.network = trained_networks(self.cell), unwrap(self.cell)


class CellSteps:
    """Each call of a training cell is a step.

    Args:
        steps: The run's `StepObserver`.
    """

    def __init__(self, steps) -> None:
        self._steps, self._observer = steps, steps.observer
        self._outputs = KeptFew(StepOutputs)
        self._held = KeptFew(_Held)

    def call(self, cell, args: tuple, run):
        """A training cell is called; ``run()`` calls it."""
        guarded_call = self._observer.guarded_call
        in_model, cell = self._observer.models.running, without_recorder(cell)
        step = guarded_call(self._begin, cell, args, in_model)
        output = run()
        guarded_call(self._end, step, cell, output, in_model, bool(args))
        return output

    def _begin(self, cell, args: tuple, in_model: Optional[str]) -> OpenStep:
        steps, observer = self._steps, self._observer
        steps.close_open()
        observer.datasets.feeds_step()
        held = self._held_by(cell)
        optimizers = held.optimizers
        entry = steps.style_facts.note("model" if in_model else "cell", cell=cell)
        steps.note_inputs(args, held.network)
        via = "Model.train" if in_model else "call"
        place = observer.models.places[-1] if in_model else user_place()
        for network in held.networks:
            observer.modes.note("train", via, network, place, steps.done, True)
            observer.inputs.note("train", via, "step", network, args, place)
        step = steps.begun(entry)
        step.rate = steps.rate(optimizers)
        steps.offer("cell", args, lambda given, _=None: _replayed(cell, given, None), [cell], optimizers, cell=cell)
        if not in_model or steps.replays.again is not None:
            outputs = self._outputs.of(cell)
            outputs.before(anew=True)
            step.state = (outputs.scale, None)
            steps.sample(step, optimizers, self._keep(step, cell, args), [cell])
        return step

    def _end(self, step: Optional[OpenStep], cell, output, in_model: Optional[str], given: bool) -> None:
        if step is None:
            return
        if in_model:
            self._steps.done += 1
            return
        outputs = self._outputs.of(cell)
        fields = outputs.after(output)
        step.loss, step.overflow = fields.get("loss"), fields.get("overflow")
        step.next_scale, step.entry["overflow_from"] = fields.get("next_scale"), outputs.facts["overflow_from"]
        if step.loss is None and not given:
            self._steps.was_none(step)
        else:
            step.ends_now()
            self._steps.finish(step)

    def _keep(self, step: OpenStep, cell, args: tuple):
        scale = step.scale

        def build(args):
            return _replayed(cell, args, scale)

        dynamic = self._outputs.of(cell).facts["kind"] == "dynamic"
        self._steps.replays.begin(step.number, args, build, [cell], dynamic)
        return lambda: build(args)

    def _held_by(self, cell) -> _Held:
        """What a training cell holds, looked for again when an optimizer was made, and now and then."""
        held, made = self._held.of(cell), len(self._observer.optimizers.made)
        if held.made != made or not self._steps.done % _LOOK_AGAIN:
            held.look(made)
            self._steps.note_trained(held.networks, held.optimizers, [cell])
            self._note_cpu_loss_scale(cell)
        return held

    def _note_cpu_loss_scale(self, cell) -> None:
        check = getattr(type(cell), "get_overflow_status", None)
        if check is not None and check.__module__.startswith("msprec.") and on_cpu():
            self._observer.note_cpu_loss_scale(type(cell).__name__)


def _replayed(cell, args: tuple, scale):
    return of_train_cell(cell, args, to_number(scale))
