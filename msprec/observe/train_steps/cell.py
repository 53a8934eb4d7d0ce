"""Steps of a training cell that is called: ``TrainOneStepCell`` and any cell that holds an optimizer. ``Model.train`` calls
its training cell too; there the callbacks record the rows and the steps are only counted."""

import weakref
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

#: Steps after which a training cell is searched for its optimizers again: one that was made before may have been put in.
_LOOK_AGAIN = 16


class CellSteps:
    """Each call of a training cell is a step.

    Args:
        steps: The run's `StepObserver`.
    """

    def __init__(self, steps) -> None:
        self._steps, self._observer = steps, steps.observer
        self._outputs = KeptFew(StepOutputs)
        self._optimizers = weakref.WeakKeyDictionary()

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
        optimizers = self._optimizers_of(cell)
        observer.datasets.feeds_step()
        networks = trained_networks(cell)
        steps.note_trained(networks, optimizers, [cell])
        self._note_cpu_loss_scale(cell)
        entry = steps.style_facts.note("model" if in_model else "cell", cell=cell)
        steps.note_inputs(args, unwrap(cell))
        via = "Model.train" if in_model else "call"
        place = user_place()
        for network in networks:
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

    def _optimizers_of(self, cell) -> list:
        """`optimizers_in` a training cell, looked for again when an optimizer was made, and now and then."""
        made = len(self._observer.optimizers.made)
        held = self._optimizers.get(cell)
        if held is None or held[0] != made or not self._steps.done % _LOOK_AGAIN:
            held = self._optimizers[cell] = made, optimizers_in(cell)
        return held[1]

    def _note_cpu_loss_scale(self, cell) -> None:
        check = getattr(type(cell), "get_overflow_status", None)
        if check is not None and check.__module__.startswith("msprec.") and on_cpu():
            self._observer.note_cpu_loss_scale(type(cell).__name__)


def _replayed(cell, args: tuple, scale):
    return of_train_cell(cell, args, to_number(scale))
