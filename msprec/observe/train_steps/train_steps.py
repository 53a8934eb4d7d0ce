"""Which call is a training step, in every style a script can have, and what comes out of it.

Styles: a training cell that is called (``TrainOneStepCell`` and any cell that holds an optimizer), a function compiled by
``jit`` that reaches an optimizer, and a gradient computation followed by a call of an optimizer. ``Model.train`` calls its
training cell too; there the callbacks record the rows and this module only counts.
"""

import inspect
import threading
import time
import weakref
from typing import Optional

from msprec.callbacks.gradient_sampler import GradientSampler
from msprec.callbacks.recorder_cell import without_recorder
from msprec.callbacks.train_outputs import ScalerFollower, StepOutputs, loss_scale_facts, scaler_facts
from msprec.errors import SweepDone
from msprec.observe.environment import current_mode
from msprec.observe.network.cell_origins import created_place
from msprec.observe.network.cells import is_builtin, is_loss_class, is_optimizer_class, walk
from msprec.observe.network.modes import trained_networks, unwrap
from msprec.observe.train_steps import closure_scan
from msprec.observe.train_steps.replay_buffer import ReplayObserver
from msprec.probe.captured_steps import Material
from msprec.record.nested import flatten
from msprec.record.overflow_rules import FLAG, LOSS, SCALE, UPDATE
from msprec.record.step_recorder import to_number
from msprec.runtime.source_locations import place_of_class, place_of_code, user_place
from msprec.runtime.tensor_snapshot import on_cpu, snapshot

_KEPT_FUNCTIONS, _KEPT_NETWORKS = 16, 6
#: Steps after which a training cell is searched for its optimizers again: one that was made before may have been put in.
_LOOK_AGAIN = 16


def first_scalar(output, skip=()):
    """The first floating-point scalar of an output (nested tuples, lists, dictionaries): the loss; or None."""
    for value in flatten(output):
        if any(value is s for s in skip) or not hasattr(value, "dtype"):
            continue
        if "Float" in str(value.dtype) and value.size == 1 and not _is_parameter(value):
            return value
    return None


def loss_of(output):
    """The loss among what a differentiated function gives: the first scalar, or else losses that were not reduced, of which
    the mean is recorded; or None."""
    scalar = first_scalar(output)
    first = output[0] if isinstance(output, (tuple, list)) and output else output
    if scalar is not None or not hasattr(first, "dtype") or _is_parameter(first):
        return scalar
    return first if "Float" in str(first.dtype) and len(first.shape) == 1 else None


def first_flag(output):
    """The first boolean scalar of an output: the overflow flag; or None."""
    for value in flatten(output):
        if isinstance(value, bool):
            return value
        if hasattr(value, "dtype") and str(value.dtype) == "Bool" and value.size == 1:
            return value
    return None


def _is_parameter(value) -> bool:
    return type(value).__name__ == "Parameter"


class _Unscaled:
    """A scaled loss whose division by the scale waits until the row is written."""

    def __init__(self, loss, scale) -> None:
        self.loss, self.scale = loss, scale

    def asnumpy(self):
        return to_number(self.loss) / to_number(self.scale)


class _Not:
    """The opposite of a flag, read when the row is written."""

    def __init__(self, flag) -> None:
        self.flag = flag

    def asnumpy(self):
        return not to_number(self.flag)


class _NotUpdated:
    """Whether an optimizer's count stayed as it was, read when the row is written."""

    def __init__(self, before, after) -> None:
        self.before, self.after = before, after

    def asnumpy(self):
        return to_number(self.after) == to_number(self.before)


class OpenStep:
    """A step that has begun and whose row is not yet written."""

    def __init__(self, style: str, number: int) -> None:
        self.style, self.number = style, number
        self.began, self.seconds = time.perf_counter(), 0.0
        self.loss = self.overflow = self.rate = None
        # the loss scaler that the step uses and its state (scale, counter) before it
        self.scaler, self.state, self.next_scale = None, (None, None), None
        self.updates = None  # the optimizer's count before a compiled step
        self.wait = self.epoch = self.batch = None
        self.forwards, self.applied, self.loss_is_scaled = 1, False, False
        # the function that is differentiated, and the ids of the optimizers that have made their update
        self.function, self.updated_by = None, set()

    @property
    def scale(self):
        """The loss scale that the step is computed with, or None."""
        return self.state[0]


class StepObserver:
    """Finds the training steps and hands each to the recorder."""

    def __init__(self, observer) -> None:
        self.observer = observer
        self.done, self.depth, self.gradient_depth = 0, 0, 0
        self.open: Optional[OpenStep] = None
        self.replays = ReplayObserver(observer.writer, observer.options.locate, observer.options.again)
        self.gradients, self.material = GradientSampler(observer.writer), Material()
        self.kinds, self.outputs, self.followers = weakref.WeakKeyDictionary(), {}, {}
        self.held_optimizers = weakref.WeakKeyDictionary()
        self.reached, self.roots, self.eval_roots, self.losses = {}, [], [], {}
        self.styles, self.model_styles, self.scalers, self.accumulation = {}, [], [], 1
        self.input_dtypes, self.noted = set(), set()
        # the scalar that a plain forward call gave last: the loss of a step whose gradient function gives no value
        self.last_scalar = None
        self.thread = threading.get_ident()

    # --- hooks --------------------------------------------------------------------------------------------------
    def install(self, patches) -> None:
        import mindspore.nn as nn
        from mindspore import amp

        patches.wrap(nn.Cell, "__call__", self._watch_cell)
        patches.wrap(_jit_executor(), "__call__", self._watch_jit)
        self._install_gradients(patches)
        for scaler in (amp.DynamicLossScaler, amp.StaticLossScaler):
            patches.wrap(scaler, "__init__", self._watch_scaler)

    def _install_gradients(self, patches) -> None:
        from mindspore.ops.composite import base

        if hasattr(base, "_pynative_forward_run"):
            patches.wrap(base, "_pynative_forward_run", lambda original: self._watch_forward(original, 0, True))
        else:
            for name in ("GradOperation", "_Grad"):
                with_value = name == "_Grad"
                patches.wrap(
                    getattr(base, name),
                    "_pynative_forward_run",
                    lambda original, v=with_value: self._watch_forward(original, 1, v),
                )

    def _watch_cell(self, original):
        def __call__(cell, *args, **kwargs):
            if self.depth or self.observer.busy or threading.get_ident() != self.thread:
                return original(cell, *args, **kwargs)
            kind = self.observer.guarded_call(self.kind_of, cell) or "network"
            self.depth += 1
            try:
                return self._call_cell(kind, cell, args, lambda: original(cell, *args, **kwargs))
            finally:
                self.depth -= 1

        return __call__

    def _watch_jit(self, original):
        def __call__(executor, *args, **kwargs):
            if self.depth or self.observer.busy or threading.get_ident() != self.thread:
                return original(executor, *args, **kwargs)
            self.depth += 1
            try:
                return self._call_jit(executor, args, lambda: original(executor, *args, **kwargs))
            finally:
                self.depth -= 1

        return __call__

    def _watch_forward(self, original, at: int, with_value: bool):
        """``at``: the place of the differentiated function among the arguments; ``with_value``: the result is (inputs, value)."""

        def forward_run(*args, **kwargs):
            nested = self.depth or self.gradient_depth or self.observer.busy
            if nested or threading.get_ident() != self.thread:
                return original(*args, **kwargs)
            self.observer.guarded_call(self._begin_gradient, args[at], None, args[at + (2 if at == 0 else 3) :])
            self.gradient_depth += 1
            try:
                result = original(*args, **kwargs)
            finally:
                self.gradient_depth -= 1
            self.observer.guarded_call(self._forward_done, result[1] if with_value else None)
            return result

        return forward_run

    def _watch_scaler(self, original):
        def __init__(scaler, *args, **kwargs):
            original(scaler, *args, **kwargs)
            self.scalers.append((weakref.ref(scaler), scaler, user_place(2)))

        return __init__

    # --- classification -----------------------------------------------------------------------------------------
    def kind_of(self, cell) -> str:
        """``optimizer``, ``train``, ``loss``, ``gradient`` (a cell that gives gradients and updates nothing) or ``network``."""
        kind = self.kinds.get(cell)
        if kind is None:
            kind = self.kinds[cell] = self._classify(cell)
        return kind

    @staticmethod
    def _classify(cell) -> str:
        if is_optimizer_class(type(cell)):
            return "optimizer"
        if is_loss_class(type(cell)):
            return "loss"
        if optimizers_in(cell):
            return "train"
        return "gradient" if differentiated_in(cell) is not None else "network"

    def what_reaches(self, function, owner=None) -> closure_scan.Reached:
        key = (id(getattr(function, "__func__", function)), id(owner))
        if key not in self.reached:
            # a loop may make a new function each step, with its batch in the closure: only a few are kept
            if len(self.reached) >= _KEPT_FUNCTIONS:
                del self.reached[next(iter(self.reached))]
            # the function is kept so that its id stays its own
            self.reached[key] = (function, closure_scan.reached_from(function, owner))
        return self.reached[key][1]

    # --- calls --------------------------------------------------------------------------------------------------
    def _call_cell(self, kind: str, cell, args: tuple, run):
        guarded_call = self.observer.guarded_call
        if kind == "train" and self.gradient_depth == 0:
            in_model, cell = self.observer.models.running, without_recorder(cell)
            step = guarded_call(self._begin_train_cell, cell, args, in_model)
            output = run()
            guarded_call(self._end_train_cell, step, cell, output, in_model, bool(args))
            return output
        if kind == "gradient" and self.gradient_depth == 0:
            return self._call_gradient_cell(cell, args, run)
        if kind == "optimizer" and self.gradient_depth == 0:
            guarded_call(self._begin_update, cell, args)
            output = run()
            guarded_call(self._end_update)
            return output
        if kind == "loss":
            guarded_call(self.note_loss_cell, cell)
        else:
            guarded_call(self._note_forward, cell, args)
        output = run()
        if self.gradient_depth == 0 and self.observer.models.is_users_call(cell):
            if not self.observer.models.stack:
                self.last_scalar = guarded_call(first_scalar, output) if not isinstance(output, dict) else None
            guarded_call(self.observer.evaluating.called, kind, output, args)
        return output

    def _call_gradient_cell(self, cell, args: tuple, run):
        network, guarded_call = differentiated_in(cell), self.observer.guarded_call
        guarded_call(self._begin_gradient, network, None, args)
        self.gradient_depth += 1
        try:
            output = run()
        finally:
            self.gradient_depth -= 1
        # of a cell of the user's, the first scalar of the output may be a gradient
        guarded_call(self._forward_done, output if is_builtin(type(cell)) else None)
        return output

    def _call_jit(self, executor, args: tuple, run):
        guarded_call = self.observer.guarded_call
        if executor.fn.__name__ == "_all_finite" and executor.fn.__module__ == "mindspore.amp":
            output = run()
            guarded_call(self._note_finite, output)
            return output
        reached = guarded_call(self.what_reaches, executor.fn, executor.obj)
        if reached is None:
            return run()
        if reached.optimizers and not _is_gradient_function(executor.fn):
            step = guarded_call(self._begin_jit_step, executor, reached, args)
            output = run()
            guarded_call(self._end_jit_step, step, reached, output)
            return output
        if reached.has_gradient or _is_gradient_function(executor.fn):
            guarded_call(self._begin_gradient, executor.fn, executor.obj, args)
            output = run()
            guarded_call(self._forward_done, output if _returns_value(executor.fn) else None)
            return output
        for network in reached.networks:
            guarded_call(self._note_forward, network, _without_cells(args))
        output = run()
        if reached.networks and self.gradient_depth == 0 and not self.observer.models.stack:
            guarded_call(self.observer.evaluating.called, "network", output, args)
        return output

    def _optimizers_of(self, cell) -> list:
        """`optimizers_in` a training cell, looked for again when an optimizer was made, and now and then."""
        made = len(self.observer.optimizers.made)
        held = self.held_optimizers.get(cell)
        if held is None or held[0] != made or not self.done % _LOOK_AGAIN:
            held = self.held_optimizers[cell] = made, optimizers_in(cell)
        return held[1]

    # --- training cells -----------------------------------------------------------------------------------------
    def _begin_train_cell(self, cell, args: tuple, in_model: Optional[str]) -> Optional[OpenStep]:
        self.close_open()
        optimizers = self._optimizers_of(cell)
        self.observer.datasets.feeds_step()
        networks = trained_networks(cell)
        self._note_trained(networks, optimizers, [cell])
        self._note_cpu_loss_scale(cell)
        style = "model" if in_model else "cell"
        entry = self._note_style(style, cell=cell)
        self._note_inputs(args, unwrap(cell))
        via = "Model.train" if in_model else "call"
        for network in networks:
            self.observer.modes.note("train", via, network, user_place(3), self.done, True)
            self.observer.inputs.note("train", via, "step", network, args, user_place(3))
        step = self._open(style, entry)
        step.rate = self._rate(optimizers)
        self._offer("cell", args, lambda given, _=None: self._of_cell(cell, given, None), [cell], optimizers, cell=cell)
        if not in_model or self.replays.again is not None:
            outputs = self._kept(self.outputs, cell, StepOutputs)
            outputs.before(anew=True)
            step.state = (outputs.scale, None)
            self._sample(step, optimizers, self._keep_cell(step, cell, args), [cell])
        return step

    def _end_train_cell(self, step: Optional[OpenStep], cell, output, in_model: Optional[str], given: bool) -> None:
        if step is None:
            return
        if in_model:
            self.done += 1
            return
        outputs = self._kept(self.outputs, cell, StepOutputs)
        fields = outputs.after(output)
        step.loss, step.overflow = fields.get("loss"), fields.get("overflow")
        step.next_scale, step.entry["overflow_from"] = fields.get("next_scale"), outputs.facts["overflow_from"]
        if step.loss is None and not given:
            self._no_step(step)
        else:
            self._finish(step)

    def _no_step(self, step: OpenStep) -> None:
        """What was called is no step but its end: an update with the gradients that the steps before have added up."""
        step.entry["count"] -= 1
        self.gradients.close()
        self.replays.drop(step.number)

    def _note_cpu_loss_scale(self, cell) -> None:
        check = getattr(type(cell), "get_overflow_status", None)
        if check is not None and check.__module__.startswith("msprec.") and on_cpu():
            self.observer.note_cpu_loss_scale(type(cell).__name__)

    def _begin_jit_step(self, executor, reached: closure_scan.Reached, args: tuple) -> OpenStep:
        self.close_open()
        self.observer.datasets.feeds_step()
        self._note_trained([unwrap(n) for n in reached.networks], reached.optimizers, [])
        self._note_losses(reached)
        entry = self._note_style("jit", function=executor.fn)
        self._note_inputs(args, executor.fn)
        for network in reached.networks:
            if not optimizers_in(network) or unwrap(network) is not network:
                self.observer.modes.note("train", "jit", unwrap(network), user_place(3), self.done, True)
                self._note_step_inputs("jit", network, executor.fn, args)
        step = self._open("jit", entry)
        step.rate = self._rate(reached.optimizers)
        self._begin_scaling(step, reached.scalers)
        step.updates = _updates(reached.optimizers)
        self._sample(step, reached.optimizers, self._keep_function(step, executor, args, reached), reached.networks)
        return step

    def _end_jit_step(self, step: Optional[OpenStep], reached: closure_scan.Reached, output) -> None:
        if step is None:
            return
        step.loss = first_scalar(output)
        self._end_scaling(step)
        if step.overflow is None and step.scaler is not None and first_flag(output) is not None:
            # what a bool that a function returns means nobody knows ("overflow", "all finite"): the update tells
            updates = _updates(reached.optimizers)
            if None not in (step.updates, updates):
                step.overflow, step.entry["overflow_from"] = _NotUpdated(step.updates, updates), UPDATE
        self._finish(step)

    # --- functional loops ---------------------------------------------------------------------------------------
    def _begin_gradient(self, function, owner, args: tuple) -> None:
        if self.open is not None and not self.open.applied and not self._skipped():
            # another function is another loss (a GAN's), not a further part of the batch
            self.open.forwards += _innermost(function) is self.open.function
            self.observer.datasets.feeds_step()
            self._keep_forward(self.open, function, args, self.what_reaches(function, owner))
            return
        self.close_open()
        reached = self.what_reaches(function, owner)
        self.observer.datasets.feeds_step()
        self._note_trained([unwrap(n) for n in reached.networks], reached.optimizers, [])
        self._note_losses(reached)
        entry = self._note_style("functional", function=_innermost(function))
        self._note_inputs(args, _innermost(function))
        for network in reached.networks:
            if self.depth:
                self.observer.modes.note("train", "gradient", unwrap(network), user_place(3), self.done, True)
            self._note_step_inputs("gradient", network, _innermost(function), args)
        self.open = self._open("functional", entry)
        self.open.function = _innermost(function)
        self._begin_scaling(self.open, reached.scalers)
        self.open.loss_is_scaled = bool(reached.scalers) and any(
            "scale" in getattr(getattr(f, "__code__", None), "co_names", ()) for f in reached.functions
        )
        self._keep_forward(self.open, function, args, reached)

    def _forward_done(self, result) -> None:
        if self.open is None:
            return
        loss = loss_of(result)
        if loss is not None:
            self.open.loss = loss

    def _begin_update(self, optimizer, args: tuple) -> None:
        # two optimizers that share the parameters of one network make their updates in one step
        if self.open is None or (self.open.applied and id(optimizer) in self.open.updated_by):
            self.close_open()
            self.observer.datasets.feeds_step()
            self.open = self._open("functional", self._note_style("functional"))
        first = not self.open.updated_by
        self.open.updated_by.add(id(optimizer))
        self._note_trained([], [optimizer], [])
        self.observer.guarded_call(self.material.updates, optimizer, args[0] if args else None)
        rate = self._rate([optimizer])
        if not first:
            return
        self.open.rate = rate
        self._sample(self.open, [optimizer], given=args[0] if args else None)

    def _end_update(self) -> None:
        if self.open is not None:
            self.open.applied = True
            self.open.seconds = time.perf_counter() - self.open.began
            self.accumulation = max(self.accumulation, self.open.forwards)

    def _scaler(self, reached: tuple = ()):
        if reached:
            return reached[-1]
        return self.scalers[-1][1] if self.scalers else None

    @staticmethod
    def _kept(store: dict, key, make):
        """``make(key)``, made once for each of the last few keys; they are held, so that an id stays its own."""
        if id(key) not in store:
            if len(store) >= _KEPT_NETWORKS:
                del store[next(iter(store))]
            store[id(key)] = (key, make(key))
        return store[id(key)][1]

    def _begin_scaling(self, step: OpenStep, reached: tuple) -> None:
        """Notes the loss scaler of a step and its state before the step."""
        step.scaler = self._scaler(reached)
        if step.scaler is not None:
            step.state = self._kept(self.followers, step.scaler, ScalerFollower).state()

    def _end_scaling(self, step: OpenStep) -> None:
        """Reads the scaler's state after the step; it tells the overflow where no flag did."""
        if step.scaler is None or step.state[0] is None:
            return
        follower = self._kept(self.followers, step.scaler, ScalerFollower)
        after = follower.state()
        step.next_scale = after[0]
        if step.overflow is None:
            step.overflow = follower.overflow(step.state, after)
            step.entry["overflow_from"] = LOSS if step.overflow is None else SCALE
        else:
            step.entry["overflow_from"] = FLAG

    def _note_finite(self, finite) -> None:
        """``mindspore.amp.all_finite`` was called outside a compiled step: the flag of the open step."""
        if self.open is not None and not self.open.applied:
            self.open.overflow = _Not(finite)

    def _skipped(self) -> bool:
        """Whether the open step is over without an update: its gradients overflowed, or its scaler has been adjusted."""
        step = self.open
        if step.overflow is not None:
            return bool(to_number(step.overflow))
        if step.scaler is None or step.state[1] is None:
            return False
        now = self._kept(self.followers, step.scaler, ScalerFollower).state()
        return tuple(map(to_number, step.state)) != tuple(map(to_number, now))

    def data_arrived(self) -> None:
        """The next batch is there: a functional step whose update was applied is over, and so is its scaler's adjustment."""
        if self.open is not None and (self.open.applied or self._skipped()):
            self.close_open()

    def close_open(self) -> None:
        """Writes the row of a functional step that is still open."""
        step, self.open = self.open, None
        if step is None:
            return
        step.loss, self.last_scalar = (self.last_scalar if step.loss is None else step.loss), None
        if step.loss_is_scaled and step.loss is not None:
            step.loss = _Unscaled(step.loss, step.scale)
        self._end_scaling(step)
        step.seconds = step.seconds or time.perf_counter() - step.began
        self._finish(step, timed=True)

    # --- for locating -------------------------------------------------------------------------------------------
    def _keep_cell(self, step: OpenStep, cell, args: tuple):
        scale = step.scale

        def build(args):
            return self._of_cell(cell, args, scale)

        self.replays.begin(step.number, args, build, [cell], loss_scale_facts(cell)["kind"] == "dynamic")
        return lambda: build(args)

    @staticmethod
    def _of_cell(cell, args: tuple, scale):
        from msprec.locate.replay import of_train_cell

        return of_train_cell(cell, args, to_number(scale))

    def _offer(self, *what, **named) -> None:
        if not self.material.full and self.observer.options.probe_seconds > 0 and self.replays.again is None:
            self.observer.guarded_call(lambda: self.material.offer(*what, **named))

    def _keep_function(self, step: OpenStep, executor, args: tuple, reached: closure_scan.Reached):
        from msprec.locate.replay import of_function

        if executor.obj is not None and not (args and args[0] is executor.obj):
            args = (executor.obj, *args)
        roots, scaler = [*reached.networks, *reached.optimizers], self._scaler(reached.scalers)

        def build(args):
            return of_function(executor.fn, args, roots, scaler)

        self._offer("jit", args, lambda given, _=None: build(given), roots, reached.optimizers, executor.fn)
        self.replays.begin(step.number, args, build, roots, scaler is not None)
        return lambda: build(args)

    def _keep_forward(self, step: OpenStep, function, args: tuple, reached: closure_scan.Reached) -> None:
        from msprec.locate.replay import of_forward

        roots = [*reached.networks, *reached.optimizers] or self.roots
        weights = [p for o in reached.optimizers for p in o.parameters]
        scaler, scale = (self._scaler(reached.scalers) if step.loss_is_scaled else None), step.scale

        def build(args, wanted=None):
            given = wanted or weights or [p for root in roots for p in root.trainable_params()]
            return of_forward(_innermost(function), args, given, roots, scaler, to_number(scale))

        self._offer("functional", args, build, roots, reached.optimizers, function)
        self.replays.begin(step.number, args, build, roots, scaler is not None)

    def _sample(self, step: OpenStep, optimizers, build=None, roots=(), given=None) -> None:
        if optimizers and self.replays.again is None:
            self.gradients.begin(step.number, optimizers[0], step.scale, build, tuple(roots), given)

    # --- shared -------------------------------------------------------------------------------------------------
    def _open(self, style: str, entry: dict) -> OpenStep:
        self.observer.guarded_call(self.observer.evaluating.assigned.training_begins)
        step = OpenStep(style, self.done + 1)
        step.entry = entry
        datasets = self.observer.datasets
        step.wait, step.epoch = datasets.take_wait(), datasets.epoch
        step.batch = datasets.last.last_count if datasets.last is not None else None
        return step

    def _finish(self, step: OpenStep, timed: bool = False) -> None:
        if not timed:
            step.seconds = time.perf_counter() - step.began
        self.done += 1
        self.observer.write_step(step, self.gradients.end(step.number))
        self.replays.end(step.number, step.loss, step.overflow, step.scale)

    def _rate(self, optimizers):
        """The first optimizer's rate in the step that begins: a number, or what gives it when the row is written."""
        if self.observer.options.sweep is not None:
            try:
                self.observer.options.sweep.before(list(optimizers))
            except SweepDone:
                self.open = None  # a step that will never update
                raise
        rates = [self.observer.optimizers.in_use(o) for o in optimizers]
        if not rates:
            return None
        self.observer.optimizers.takes_part(optimizers, self.done)
        rates[0].before()
        return rates[0].fields().get("lr")

    def _note_trained(self, roots: list, optimizers, cells: list) -> None:
        """Remembers networks and parameters the first time that they train."""
        key = (*map(id, roots), *map(id, optimizers))
        if key in self.noted:
            return
        self.noted.add(key)
        roots = [root for root in roots if self._keep_root(root)]
        for cell in (*cells, *roots):
            for _, inner in walk(cell):
                if is_loss_class(type(inner)):
                    self.note_loss_cell(inner)
        extra = [p for o in optimizers for p in o.parameters]
        self.observer.parameters.note(roots, extra, self.done)
        for optimizer in optimizers:
            self.observer.optimizers.in_use(optimizer)
        self.observer.step_seen()

    def _keep_root(self, root) -> bool:
        """Adds a trained network; a script that makes one after the other (folds, a search) is not held in memory by us."""
        if any(root is known for known in self.roots):
            return True
        if is_optimizer_class(type(root)) or len(self.roots) >= _KEPT_NETWORKS:
            return False
        self.roots.append(root)
        return True

    def note_loss_cell(self, cell) -> None:
        cls = type(cell)
        if cls not in self.losses:
            builtin = cls.__module__.split(".")[0] == "mindspore"
            self.losses[cls] = {
                "class": cls.__name__,
                "builtin": builtin,
                "args": _plain_attributes(cell),
                "place": user_place(2),
                "file_class": place_of_class(cls),
            }

    def note_loss(self, loss, place: Optional[dict]) -> None:
        """The ``loss_fn`` of a `Model`: a cell or a function."""
        if hasattr(loss, "_cells"):
            self.note_loss_cell(loss)
            self.losses[type(loss)]["place"] = self.losses[type(loss)]["place"] or place
            return
        name = getattr(loss, "__name__", type(loss).__name__)
        builtin = str(getattr(loss, "__module__", "")).split(".")[0] == "mindspore"
        code_place = place_of_code(getattr(loss, "__code__", None))
        self.losses[name] = {
            "class": f"function {name}",
            "builtin": builtin,
            "args": None,
            "place": place,
            "file_class": code_place,
        }

    def _note_losses(self, reached: closure_scan.Reached) -> None:
        for cell in reached.losses:
            self.note_loss_cell(cell)
        for function in reached.functions:
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            for name in getattr(code, "co_names", ()):
                if name in _LOSS_FUNCTIONS and name not in self.losses:
                    self.losses[name] = {
                        "class": f"function {name}",
                        "builtin": True,
                        "args": None,
                        "place": place_of_code(code),
                        "file_class": None,
                    }

    def _note_inputs(self, args: tuple, function) -> None:
        for value in args:
            if hasattr(value, "asnumpy") and hasattr(value, "dtype"):
                self.input_dtypes.add(str(value.dtype).lower())
        if self.observer.datasets.piped:
            return
        names = _parameter_names(function)
        if len(names) < len(args) or any(n in ("args", "inputs") for n in names[: len(args)]):
            names = [f"input_{i}" for i in range(len(args))]
        self.observer.datasets.step_inputs(names, list(args))

    def _note_step_inputs(self, via: str, network, function, args: tuple) -> None:
        def names() -> list:
            found = _parameter_names(function)
            return found[1:] if found[:1] == ["self"] else found

        self.observer.inputs.note("train", via, "step", unwrap(network), _without_cells(args), user_place(3), names)

    def _note_forward(self, cell, args: tuple) -> None:
        root = unwrap(cell)
        models = self.observer.models
        if self.gradient_depth:
            if not any(root is r for r in self.roots) and self._keep_root(root):
                self.observer.parameters.note([root], [], self.done)
            self.observer.modes.note("train", "call", root, user_place(3), self.done, True)
            self.observer.inputs.note("train", "call", "network", root, args, user_place(3))
            return
        phase, via = models.phase_of(cell)
        if phase == "forward" or not any(root is r for r in self.eval_roots):
            self.eval_roots = (
                [*self.eval_roots[-7:], root] if not any(root is r for r in self.eval_roots) else self.eval_roots
            )
        self.observer.datasets.feeds_other(phase if phase in ("eval", "predict") else None)
        self.observer.modes.note(phase, via, root, user_place(3), self.done, False)
        level = "network" if root is cell else "step"
        self.observer.inputs.note(phase, via, level, root, args, user_place(3))

    def _note_style(self, style: str, cell=None, function=None) -> dict:
        key = (style, id(type(cell)) if cell is not None else None, getattr(function, "__qualname__", None))
        entry = self.styles.get(key)
        if entry is None:
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            place = place_of_class(type(cell)) if cell is not None else place_of_code(code)
            entry = {
                "style": style,
                "class": type(cell).__name__ if cell is not None else None,
                "function": getattr(function, "__qualname__", None),
                "mode": current_mode(),
                "place": place or user_place(3),
                "count": 0,
                "sink": False,
                "overflow_from": None,
                "loss_scale": self._loss_scale_facts(cell),
            }
            self.styles[key] = entry
            self.observer.scale_tally.starts(entry["loss_scale"])
        entry["count"] += 1
        return entry

    def _loss_scale_facts(self, cell) -> dict:
        if cell is not None:
            facts = loss_scale_facts(cell)
            del facts["flag"], facts["overflow_from"]
            place = created_place(cell) or user_place(4)
            return {**facts, "place": place if facts["kind"] != "none" else None}
        if self.scalers:
            _, scaler, place = self.scalers[-1]
            return {**scaler_facts(scaler), "place": place}
        return scaler_facts(None)

    def facts(self, final: bool = False) -> dict:
        """``train_step.json``; the optimizers' own counts are read at the end only."""
        updates = self.observer.optimizers.updates() if final else None
        entries = []
        for entry in self._with_models():
            if not entry["count"]:
                continue
            source = entry["overflow_from"]
            if entry["style"] == "model" and source is None and entry["loss_scale"]["kind"] != "none":
                source = LOSS if entry["loss_scale"]["drop_overflow_update"] is False else FLAG
            accumulation = self.accumulation if entry["style"] == "functional" else self._steps_an_update(updates)
            entries.append(
                {
                    **entry,
                    "accumulation": accumulation,
                    "updates": updates,
                    "overflow_from": source,
                    "overflow_flag": source in (FLAG, SCALE, UPDATE),
                }
            )
        return {"steps": entries, "scalers": len(self.scalers)}

    def _steps_an_update(self, updates: Optional[int]) -> int:
        """Steps that share an update: gradients accumulated inside the training cell. Skipped steps do not count."""
        applied = self.done - self.observer.scale_tally.overflows
        if len(self.styles) > 1:  # cells with an optimizer each, as of a GAN
            updates = self.observer.optimizers.updates(all_of_them=True)
        return max(1, round(applied / updates)) if updates else 1

    def _with_models(self) -> list:
        """A step of `Model` is described by its call and, for the scale, by its loss scale manager."""
        entries = []
        for entry in self.styles.values():
            if entry["style"] == "model" and self.model_styles:
                model = self.model_styles[-1]
                entry = {**entry, "function": model["function"], "place": model["place"] or entry["place"]}
                if model["loss_scale"] is not None:
                    entry["loss_scale"] = model["loss_scale"]
            entries.append(entry)
        return entries


_LOSS_FUNCTIONS = (
    "cross_entropy",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "huber_loss",
    "ctc_loss",
    "softmax_cross_entropy_with_logits",
)


def _parameter_names(function) -> list:
    try:
        return list(inspect.signature(getattr(function, "construct", function)).parameters)
    except (TypeError, ValueError):
        return []


def _without_cells(args: tuple) -> tuple:
    """The arguments of a method without the cell that it belongs to."""
    return tuple(value for value in args if not hasattr(value, "_cells"))


def optimizers_in(cell) -> list:
    """Optimizers below a cell, those in plain lists of its attributes included."""
    found = [inner for _, inner in walk(cell) if is_optimizer_class(type(inner))]
    for value in vars(cell).values():
        if isinstance(value, (list, tuple)):
            found += [v for v in value if hasattr(v, "_cells") and is_optimizer_class(type(v)) and v not in found]
    return found


def differentiated_in(cell):
    """The network whose gradients a cell gives (``nn.ForwardValueAndGrad``, or a cell of the user's that holds a
    ``GradOperation`` and one network); None where the cell is another."""
    if type(cell).__name__ == "ForwardValueAndGrad" and is_builtin(type(cell)):
        return cell.network if not cell.sens_param else None
    if is_builtin(type(cell)) or not any(type(v).__name__ in ("GradOperation", "_Grad") for v in vars(cell).values()):
        return None
    held = [inner for inner in cell._cells.values() if inner is not None and not is_loss_class(type(inner))]
    return held[0] if len(held) == 1 else None


def _updates(optimizers):
    """The first optimizer's own count of updates, safe to read later; None where there is none."""
    return snapshot(getattr(optimizers[0], "global_step", None)) if optimizers else None


def _is_gradient_function(function) -> bool:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code is not None and code.co_name == "after_grad"


def _returns_value(function) -> bool:
    """Whether a compiled gradient function gives the value beside the gradients; a user's own function is assumed to."""
    if not _is_gradient_function(function):
        return True
    names = function.__code__.co_freevars
    held = [c.cell_contents for n, c in zip(names, function.__closure__ or ()) if n == "grad_"]
    return bool(held) and bool(getattr(held[0], "get_value", False))


def _innermost(function):
    """The user's function inside MindSpore's ``after_grad``."""
    for _ in range(4):
        target = getattr(function, "__func__", function)
        if getattr(getattr(target, "__code__", None), "co_name", "") not in ("after_grad", "aux_fn"):
            break
        names = target.__code__.co_freevars
        inner = [c.cell_contents for n, c in zip(names, target.__closure__ or ()) if n in ("fn", "fn_")]
        if not inner:
            break
        function = inner[0]
    return function


def _plain_attributes(cell) -> Optional[str]:
    simple = {k: v for k, v in vars(cell).items() if isinstance(v, (bool, int, float, str)) and not k.startswith("_")}
    skip = ("training", "requires_grad", "is_top_cell", "arguments_key", "grad_ops_label", "has_bprop", "cell_type")
    return ", ".join(f"{k}={v!r}" for k, v in simple.items() if k not in skip) or None


def _jit_executor() -> type:
    """The class that runs functions compiled by ``jit``; its module moved in 2.10."""
    from mindspore.common import api

    return api._JitExecutor
