"""One step run again with all that it computes watched: which cells are used, and whose results go nowhere."""

import contextlib
from typing import Callable, NamedTuple, Optional

import numpy as np
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

from msprec.locate.gradients import Updated
from msprec.locate.replay import ReplayedStep, undisturbed, watched
from msprec.locate.trace import Edge, Node, Trace, ancestors, to_numpy
from msprec.probe.steps.linear_layers import holds_cells, linear_pairs
from msprec.record.nested import tensors_in
from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import is_builtin, is_internal, is_loss_class, is_optimizer_class, is_wrapper_class, walk
from msprec.runtime.source_locations import place_in

#: A step whose optimizers do not all come within so many updates is cut off.
_MOST_UPDATES = 16


class OwnLoss(NamedTuple):
    """A call of a function of the user's that took two tensors or more and gave one number; ``given``: the tensors."""

    function: Callable
    args: tuple
    kwargs: dict
    given: list
    result: object


class GraphTrace(Trace):
    """A `Trace` that also counts the calls of each cell, and keeps what the outermost functions and cells return.

    It ends the step where the last of its optimizers would be called; those before it are not run.
    """

    def __init__(self, step: ReplayedStep) -> None:
        super().__init__(step.cells, step.paths, backward=True)
        #: ``{id(cell): calls}``; cells that were called inside another and that no network holds
        self.calls, self.strangers = {}, {}
        self.outputs, self.own_losses, self.reached = [], [], []
        #: ``{id(optimizer): (optimizer, the gradients that it was given first)}``; how many optimizers the step has
        self.updates, self._optimizers = {}, len({id(c) for c in step.cells if is_optimizer_class(type(c))})
        self._update_calls = 0
        # whether each entered cell holds an optimizer; how many cells were entered where each gradient is computed
        self._holding, self._depths = [], []
        #: the first number that was differentiated: the loss as a whole
        self.differentiated = None

    def cell_call(self, original, cell, args, kwargs):
        """A call of a cell; that of the last optimizer ends the replay."""
        if is_optimizer_class(type(cell)) and args:
            return self._update(cell, args[0])
        self.calls[id(cell)] = self.calls.get(id(cell), 0) + 1
        if id(cell) not in self.paths and self._cells and _trainable(cell):
            self.strangers[id(cell)] = (cell, self._cells[-1])
        # what a training cell calls itself gives the loss, wherever it stands; the optimizer ends the step before it is
        # returned, and of a gradient without its value the loss is never seen
        outermost = self._gives_loss() or (bool(self._holding) and self._holding[-1])
        self._holding.append(_holds_optimizer(cell))
        try:
            result = super().cell_call(original, cell, args, kwargs)
        finally:
            self._holding.pop()
        if not is_builtin(type(cell)) and not _trainable(cell):
            self._note_own(cell, args, kwargs, result)
        if outermost or is_wrapper_class(type(cell)):
            self.outputs.append(result)
            if self.differentiated is None:
                self.differentiated = _one_number(result)
        return result

    def _update(self, optimizer, gradients):
        """An optimizer would be called: where others follow, as in a GAN's step, the step goes on without the update."""
        from mindspore import Tensor

        self.updates.setdefault(id(optimizer), (optimizer, gradients))
        self._update_calls += 1
        if len(self.updates) >= self._optimizers or self._update_calls >= _MOST_UPDATES:
            raise Updated
        return Tensor(True)

    def _gives_loss(self) -> bool:
        """Whether what is called here is the step itself, or what a gradient is taken of."""
        return not self._cells or bool(self._depths and self._depths[-1] == len(self._cells))

    @property
    def complete(self) -> bool:
        """Whether the step was not cut off before each of its optimizers was called."""
        return self._update_calls < _MOST_UPDATES or len(self.updates) >= self._optimizers

    def _node(self, expression, function, args, kwargs, operator_name, hooks=True, cell=None):
        result = super()._node(expression, function, args, kwargs, operator_name, hooks, cell)
        self.nodes[-1].callee = callee_name(function, operator_name, cell)
        self.nodes[-1].arguments = (args, kwargs)
        return result

    def _record(self, expression, operator_name, inputs, result) -> None:
        super()._record(expression, operator_name, inputs, result)
        self.nodes[-1].callee = operator_name.rsplit(".", 1)[-1]
        self.nodes[-1].arguments = inputs

    def own(self, function):
        """As `Trace.own`, with what the function returns kept where it looks like a loss."""
        made = super().own(function)
        if made is None:
            return None

        def kept(*args, **kwargs):
            result = made(*args, **kwargs)
            self._note_own(function, args, kwargs, result)
            return result

        return kept if getattr(function, "__name__", "") != "construct" else made

    def run_gradient(self, function, args, kwargs):
        """As `Trace.run_gradient`; what comes out of the gradient counts as used."""
        self._depths.append(len(self._cells))
        try:
            result = super().run_gradient(function, args, kwargs)
        finally:
            self._depths.pop()
        self.outputs.append(result)
        if isinstance(result, tuple) and len(result) == 2 and not self.updates:
            whole = _one_number(result[0])
            self.differentiated = whole if whole is not None else self.differentiated
        return result

    def _note_own(self, function, args, kwargs, result) -> None:
        if self._gives_loss():
            self.outputs.append(result)
        given = list(tensors_in((args, kwargs)))
        if len(given) >= 2 and hasattr(result, "asnumpy") and "Float" in str(result.dtype) and result.size == 1:
            self.own_losses.append(OwnLoss(function, args, kwargs, given, result))

    def gradient_came(self, edge: Edge, gradient) -> None:
        """A gradient came back on an edge: that is all there is to know here."""
        self.reached.append(edge.node)


def run_forward(step: ReplayedStep, inputs: Optional[tuple] = None) -> tuple:
    """``(GraphTrace, result)`` of what the step differentiates, called with ``inputs`` (default: the step's own) and not
    differentiated; of a training cell or compiled step, which is called as a whole and makes no update, the result is None."""
    trace, result = GraphTrace(step), None
    trace.backward = False
    with watched(trace), contextlib.suppress(Updated):
        if step.forward is not None:
            result = trace.call_function(step.forward, step.inputs if inputs is None else inputs)
            whole = _one_number(result)
            trace.differentiated = whole if whole is not None else trace.differentiated
        else:
            step.run(trace, step.scale)
    return trace, result


def _is_schedule(cell) -> bool:
    """Whether it is a schedule of rates, or the list of those of an optimizer's groups: the optimizer calls them in its step."""
    held = list(cell._cells.values()) if type(cell).__name__ == "CellList" else [cell]
    return bool(held) and all(isinstance(one, LearningRateSchedule) for one in held)


def _holds_optimizer(cell) -> bool:
    """Whether a cell calls an optimizer of its own: one of its cells, or one in a list of it."""
    held = [*cell._cells.values(), *(v for one in vars(cell).values() if isinstance(one, (list, tuple)) for v in one)]
    return any(is_optimizer_class(type(c)) for c in held)


def callee_name(function, operator_name: str, cell) -> str:
    """The name of what was called: of a cell or Primitive its class's, whatever the script calls it."""
    if cell is not None:
        return type(cell).__name__
    if any(base.__name__ == "Primitive" for base in type(function).__mro__):
        return str(getattr(function, "name", type(function).__name__))
    name = getattr(function, "__name__", "")
    return operator_name.rsplit(".", 1)[-1] if name in ("", "run", "<lambda>") else name


def _one_number(value):
    """The first tensor in a value, where it is of one element; else None."""
    first = next(tensors_in(value), None)
    return first if first is not None and first.size == 1 else None


def trace_step(step: ReplayedStep, weights: Optional[dict] = None) -> GraphTrace:
    """Runs forward and backward of ``step`` once, in PyNative mode, with ``weights`` (``{id(parameter): array}``); what it
    changed is restored."""
    _forget_gradients()
    with undisturbed(step.parameters, None, weights, step.host_random):
        trace = GraphTrace(step)
        with watched(trace), contextlib.suppress(Updated):
            loss = step.run(trace, step.scale)
            trace.outputs.append(loss)
            if getattr(loss, "size", 0) == 1:  # the loss of the step, without its scale
                trace.differentiated = loss
    return trace


def _forget_gradients() -> None:
    """After an error inside a function that is differentiated MindSpore (2.10) calls each such function twice from then on."""
    from mindspore.common.api import _pynative_executor

    _pynative_executor.clear_res()


def connections(trace: GraphTrace, step: ReplayedStep) -> dict:
    """The entry ``graph`` of ``probes.json``."""
    gradients = _gradient_sizes(trace)
    live = live_nodes(trace)
    seen = loss_seen(trace)
    reached = {id(node) for node in trace.reached}
    passing = {id(node) for node in trace.nodes if _passes_on(trace, node)}
    cells = []
    for cell in {id(c): c for c in trace.cells}.values():
        if is_optimizer_class(type(cell)) or is_wrapper_class(type(cell)) or is_internal(type(cell)):
            continue
        if _is_schedule(cell):
            continue
        own = [p for p in cell._params.values() if p is not None and p.requires_grad]
        known = [gradients[id(p)] for p in own if id(p) in gradients]
        cells.append(
            {
                "path": trace.paths.get(id(cell), ""),
                "class": type(cell).__name__,
                "builtin": is_builtin(type(cell)),
                "loss": is_loss_class(type(cell)),
                "calls": trace.calls.get(id(cell), 0),
                "used": _is_used(_nodes_of(trace, cell, own), live | reached, passing, seen),
                "gradient": None if not known else bool(any(known)),
                "created": created_place(cell),
            }
        )
    strangers = [
        {
            "class": type(cell).__name__,
            "inside": inside,
            "parameters": [p.name for p in _trainable(cell)][:20],
            "created": created_place(cell),
        }
        for cell, inside in trace.strangers.values()
    ]
    return {
        "cells": cells,
        "unregistered": strangers,
        "loss_seen": seen,
        "linear_pairs": linear_pairs(trace, live),
    }


def _nodes_of(trace: GraphTrace, cell, own: list) -> list:
    """The nodes of a cell without others: its own calls, and of one of the script's with weights what ran within it."""
    path = trace.paths.get(id(cell), "")
    within = path if path and own and not is_builtin(type(cell)) else None
    return [one for one in trace.nodes if one.cell_object is cell or one.cell == within] if not cell._cells else []


def _is_used(nodes: list, used: set, passing: set, seen: bool) -> Optional[bool]:
    """Whether one of the nodes is; None where that is not known."""
    ids = {id(one) for one in nodes}
    if not ids:
        return None
    return True if ids & used else False if seen and not ids & passing else None


def _passes_on(trace: GraphTrace, node: Node) -> bool:
    """Whether it gives what it was given, as a Dropout in inference mode: whether that is used through it cannot be told."""
    made = [trace.producers.get(id(value)) for value in node.results]
    return bool(made) and all(any(one is source for source in node.sources) for one in made)


def _trainable(cell) -> list:
    return [p for _, inner in walk(cell) for p in inner._params.values() if p is not None and p.requires_grad]


def live_nodes(trace: GraphTrace) -> set:
    """Ids of the nodes that what the step returns was computed from; a cell of MindSpore's around a network, as the casts of
    mixed precision are, counts as computed from what ran in it last."""
    outputs = {id(value) for value in tensors_in(trace.outputs)}
    last = [node for node in trace.nodes if any(id(value) in outputs for value in node.results)]
    within = [node.inner[-1] for node in trace.nodes if holds_cells(node) and not node.sources]
    return {id(node) for node in ancestors(last + trace.nodes[-1:] + within)}


def loss_seen(trace: GraphTrace) -> bool:
    """Whether what the step returns, or takes gradients of, was computed by watched nodes, for each of its optimizers."""
    made = {id(value) for node in trace.nodes for value in node.results}
    return trace.complete and any(id(value) in made for value in tensors_in(trace.outputs))


def _gradient_sizes(trace: GraphTrace) -> dict:
    """``{id(parameter): largest absolute gradient}``."""
    given = [(list(optimizer.parameters), gradients) for optimizer, gradients in trace.updates.values()]
    if not given and trace.gradients is not None:
        result = trace.gradients
        given = [(trace.weights, result[-1] if isinstance(result, tuple) and len(result) == 2 else result)]
    sizes = {}
    for weights, found in given:
        values = list(tensors_in(found))
        if weights and len(values) == len(weights):
            sizes.update({id(p): _largest(v) for p, v in zip(weights, values)})
    return sizes


def _largest(tensor) -> float:
    array = to_numpy(tensor).astype(np.float64)
    return float(np.nanmax(np.abs(array))) if array.size else 0.0


def called_at(node: Node) -> Optional[dict]:
    """The user's line from which the function around a node was called."""
    return place_in(node.stack[-1].file, node.stack[-1].line) if node.stack else None


def place_of(node: Node) -> Optional[dict]:
    """The user's line of a node."""
    expression = node.expression or (node.stack[-1] if node.stack else None)
    if expression is not None:
        return place_in(expression.file, expression.line)
    return created_place(node.cell_object) if node.cell_object is not None else None
