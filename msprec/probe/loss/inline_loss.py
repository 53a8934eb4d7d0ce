"""A loss that the script writes out in its forward function: found again as a function of its prediction and its labels.

The forward computation runs once more, watched. What the loss takes from the network, and what it is compared with, are
looked for among the expressions; then the same computation runs with other arrays in their place, the network left out.
"""

from typing import Callable, NamedTuple, Optional

import numpy as np

from msprec.locate.replay import ReplayedStep, watched
from msprec.locate.trace import Node, _closure_cell, _is_cell, to_numpy
from msprec.probe.loss.loss_shapes import class_numbers, kind_of
from msprec.probe.steps.connectivity_trace import GraphTrace, place_of
from msprec.record.nested import flatten, replaced, tensors_in
from msprec.runtime.cells import walk
from msprec.runtime.rng_state import random_state, set_random_state
from msprec.runtime.source_locations import place_in

#: Expressions of a loss that are looked at, at most.
_MOST_NODES = 400


class Written(NamedTuple):
    """A loss written out: ``call(prediction, labels)`` gives its value with other arrays.

    ``computed``: whether the labels are no input of the step but computed in it, as the noise of a diffusion model is.
    ``weighed``: whether something else of the batch, real numbers, takes part beside the labels, as an advantage does;
    ``even``: as ``call``, with these numbers 1 throughout; None: they are none, or computed in the step.
    ``shape``: of what is differentiated; ``code``: the expressions that it is made of, as they are written.
    """

    name: str
    place: dict
    code: str
    predicted: np.ndarray
    labels: np.ndarray
    value: float
    computed: bool
    weighed: bool
    shape: list
    prediction: object
    trace: GraphTrace
    call: Callable
    even: Optional[Callable]


class Chosen(NamedTuple):
    """A prediction and its labels: tensors as they were, and their arrays.

    ``held``: the tensor that is replaced, of the same numbers as the prediction; ``position``: which input of the step
    the labels are; None: they are computed.
    """

    held: object
    predicted: np.ndarray
    labels: object
    label_array: np.ndarray
    position: Optional[int]


class NotFound(Exception):
    """Why a loss cannot be tried: ``outputs`` (several of networks take part), ``labels`` (nothing to compare with),
    ``several`` (several inputs may be the labels), ``unused`` (the labels take no part), ``unseen`` (anything else).

    ``code``, ``place``: the expressions that the loss is made of, and its line, where they are known.
    """

    def __init__(self, why: str, code: str = "", place: Optional[dict] = None) -> None:
        super().__init__(why)
        self.code, self.place = code, place


class _Reached(Exception):
    """The loss has been computed."""

    def __init__(self, value) -> None:
        super().__init__()
        self.value = value


class _Forward(GraphTrace):
    """The forward computation of a step, up to its loss, with the results of some expressions replaced.

    Args:
        step: The step.
        given: ``{key: value}``: expressions that are not run; a key is ``(file, line, column, which time)``.
        until: The key of the expression that gives the loss, where it is known.
    """

    def __init__(self, step: ReplayedStep, given: Optional[dict] = None, until: Optional[tuple] = None) -> None:
        super().__init__(step)
        self.backward, self.given, self.until = False, given or {}, until
        #: ``{id(tensor): (key, start)}`` of the outermost expression that gives a tensor; results by key
        self.keys, self.results, self.spans = {}, {}, []
        self._times, self._started = {}, 0

    def _seen(self, expression, run: Callable):
        place = (expression.file, expression.line, expression.column, expression.operator)
        key = (*place, self._times.get(place, 0))
        self._times[place] = key[-1] + 1
        self._started += 1
        start = self._started
        result = self.given[key] if key in self.given else run()
        for value in tensors_in(result):
            if id(value) not in self.keys or start < self.keys[id(value)][1]:
                self.keys[id(value)] = (key, start, expression)
                self._kept.append(value)
        self.results[key] = result
        if key == self.until:
            raise _Reached(result)
        return result

    def call(self, expression, *args, **kwargs):
        return self._seen(expression, lambda: super(_Forward, self).call(expression, *args, **kwargs))

    def method(self, expression, *args, **kwargs):
        return self._seen(expression, lambda: super(_Forward, self).method(expression, *args, **kwargs))

    def binary(self, expression, *args):
        return self._seen(expression, lambda: super(_Forward, self).binary(expression, *args))

    def inplace(self, expression, *args):
        return self._seen(expression, lambda: super(_Forward, self).inplace(expression, *args))

    def unary(self, expression, *args):
        return self._seen(expression, lambda: super(_Forward, self).unary(expression, *args))

    def item(self, expression, *args):
        return self._seen(expression, lambda: super(_Forward, self).item(expression, *args))

    def attribute(self, expression, *args):
        return self._seen(expression, lambda: super(_Forward, self).attribute(expression, *args))

    def cell_call(self, original, cell, args, kwargs):
        """As `GraphTrace.cell_call`; notes which nodes ran inside a cell with weights."""
        first = len(self.nodes)
        result = super().cell_call(original, cell, args, kwargs)
        if any(p is not None and p.requires_grad for _, one in walk(cell) for p in one._params.values()):
            self.spans.append((first, len(self.nodes), list(tensors_in(result))))
        if self.differentiated is not None and not self._forward_only:
            raise _Reached(result)
        return result

    _forward_only = False

    def run_gradient(self, function, args, kwargs):
        """Runs what is differentiated, and no gradient."""
        holder = _closure_cell(function, ("fn", "fn_"))
        inner = holder.cell_contents if holder is not None else None
        if inner is None:
            raise NotFound("unseen")
        raise _Reached(inner(*args, **kwargs) if _is_cell(inner) else (self.own(inner) or inner)(*args, **kwargs))

    def result_of(self, step: ReplayedStep):
        """Runs ``step`` up to its loss."""
        try:
            if step.forward is not None:
                self._forward_only = True
                return self.call_function(step.forward, step.inputs)
            step.run(self, step.scale)
        except _Reached as reached:
            return reached.value
        raise NotFound("unseen")


def written_loss(step: ReplayedStep, again: Callable) -> Written:
    """The loss that ``step`` computes by itself. To be called, and what it returns too, with the process ``undisturbed``.

    Args:
        step: The step.
        again: ``again(inputs)`` makes the step of other inputs.

    Raises:
        NotFound: There is none that can be tried.
    """
    state = random_state(step.host_random)
    trace, result = _run(step, state)
    whole = _whole(trace, result)
    pieces = _Pieces(trace, whole, [_array(value) for value in _leaves(step.inputs)])
    shown = pieces.node_of(whole).expression
    chosen = pieces.chosen()
    if shown is None or id(chosen.held) not in trace.keys:
        raise NotFound("unseen")
    held_key = trace.keys[id(chosen.held)][0]
    label_key = trace.keys[id(chosen.labels)][0] if chosen.position is None else None
    until = trace.keys[id(whole)][0] if id(whole) in trace.keys else None
    weighing, steps = pieces.weighing(chosen), {}

    def call(left: np.ndarray, right: np.ndarray, even: tuple = ()) -> float:
        given, one = {held_key: _swapped(trace.results[held_key], chosen.held, left)}, step
        if label_key is not None:
            given[label_key] = _swapped(trace.results[label_key], chosen.labels, right)
        if even or (label_key is None and right is not chosen.label_array):
            if (id(right), even) not in steps:
                inputs = step.inputs if label_key is not None else _with_input(step.inputs, chosen.position, right)
                for position in even:
                    inputs = _with_input(inputs, position, np.ones_like(pieces.inputs[position]))
                steps[id(right), even] = (right, again(inputs))
            one = steps[id(right), even][1]
        _, found = _run(one, state, given, until)
        return float(to_numpy(next(tensors_in(found))).astype(np.float64).sum())

    known = weighing and None not in weighing
    return Written(
        shown.function,
        place_in(shown.file, shown.line),
        pieces.words(),
        chosen.predicted,
        chosen.label_array,
        float(to_numpy(whole).astype(np.float64).sum()),
        chosen.position is None,
        bool(weighing),
        list(whole.shape),
        chosen.held,
        trace,
        call,
        (lambda left, right: call(left, right, tuple(weighing))) if known else None,
    )


class Pair(NamedTuple):
    """A loss of two outputs of networks: ``call(left, right)`` gives its value with other arrays."""

    name: str
    place: dict
    code: str
    left: np.ndarray
    right: np.ndarray
    value: float
    call: Callable


def written_pair(step: ReplayedStep) -> Pair:
    """The loss that ``step`` computes of two outputs of one shape alone, as contrastive ones are. To be called as
    `written_loss`.

    Raises:
        NotFound: It is made of others.
    """
    state = random_state(step.host_random)
    trace, result = _run(step, state)
    whole = _whole(trace, result)
    pieces = _Pieces(trace, whole, [])
    shown, outputs = pieces.node_of(whole).expression, pieces.outputs()
    known = all(id(value) in trace.keys for value in outputs) and shown is not None
    if not known or len(outputs) != 2 or outputs[0].shape != outputs[1].shape:
        raise NotFound("outputs", pieces.words())
    keys = [trace.keys[id(value)][0] for value in outputs]
    until = trace.keys[id(whole)][0] if id(whole) in trace.keys else None

    def call(left: np.ndarray, right: np.ndarray) -> float:
        given = {key: trace.results[key] for key in keys}
        for key, old, array in zip(keys, outputs, (left, right)):
            given[key] = _swapped(given[key], old, array)
        return float(to_numpy(next(tensors_in(_run(step, state, given, until)[1]))).astype(np.float64).sum())

    place = place_in(shown.file, shown.line)
    left, right = map(to_numpy, outputs)
    return Pair(shown.function, place, pieces.words(), left, right, float(to_numpy(whole)), call)


def _run(step: ReplayedStep, state: Optional[dict], given: Optional[dict] = None, until: Optional[tuple] = None):
    trace = _Forward(step, given, until)
    if state is not None:
        set_random_state(state if step.host_random else {**state, "python": None, "numpy": None})
    with watched(trace):
        return trace, trace.result_of(step)


def _whole(trace: _Forward, result):
    """The tensor that is differentiated, without the factor of a loss scaler."""
    first = next(tensors_in(result), None)
    if first is None or "Float" not in str(first.dtype) or (first.size != 1 and first is not result):
        raise NotFound("unseen")
    node = trace.producers.get(id(first))
    while node is not None and node.operator.rsplit(".", 1)[-1] == "scale" and node.inputs:
        first = node.inputs[0]
        node = trace.producers.get(id(first))
    return first


def _swapped(made, old, array: np.ndarray):
    """``made`` with the tensor ``old`` in it replaced by an array."""
    from mindspore import Tensor

    return replaced(made, old, Tensor(np.ascontiguousarray(array.reshape(old.shape)), old.dtype))


def _leaves(inputs: tuple) -> list:
    """The tensors of a step's inputs, and the arrays of NumPy's that its code makes tensors of."""
    return [leaf for leaf in flatten(inputs) if hasattr(leaf, "asnumpy") or isinstance(leaf, np.ndarray)]


def _array(value) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else to_numpy(value)


def _with_input(inputs: tuple, position: int, array: np.ndarray) -> tuple:
    old = _leaves(inputs)[position]
    if array.size != old.size:  # rows of one 1 that the step makes of class numbers
        array = array.argmax(1)
    if isinstance(old, np.ndarray):
        return replaced(tuple(inputs), old, np.ascontiguousarray(array.reshape(old.shape).astype(old.dtype)))
    return _swapped(tuple(inputs), old, array)


class _Pieces:
    """What the loss is made of: the nodes between the networks and it.

    Args:
        trace: The watched forward computation.
        whole: The loss.
        inputs: The step's inputs as arrays.
    """

    def __init__(self, trace: _Forward, whole, inputs: list) -> None:
        self._trace, self.inputs, self._whole = trace, inputs, whole
        self._order = {id(node): number for number, node in enumerate(trace.nodes)}
        self._networks = [
            (first, end)
            for first, end, results in trace.spans
            if results and all(one.size > 1 and one is not whole for one in results if "Float" in str(one.dtype))
        ]
        self._nodes, self._crossing = [], {}
        # functions over Parameters that stand in no cell: all that leads to the last use of one
        self._by_weights = self._before_weights() if not trace.spans else set()
        self._collect()

    def outputs(self) -> list:
        """What the networks gave that the loss is made of, in the order in which it was computed."""
        producers = self._trace.producers
        return sorted(self._crossing.values(), key=lambda value: self._order[id(producers[id(value)])])

    def node_of(self, value) -> Node:
        """The node that gave a tensor."""
        node = self._trace.producers.get(id(value))
        if node is None:
            raise NotFound("unseen")
        return node

    def _in_network(self, node: Node) -> bool:
        number = self._order.get(id(node), -1)
        return id(node) in self._by_weights or any(first <= number < end for first, end in self._networks)

    def _before_weights(self) -> set:
        """Ids of the nodes that read a trainable Parameter, and of all that these were computed from."""
        waiting = [node for node in self._trace.nodes if any(map(_is_weight, node.inputs))]
        found: set = set()
        while waiting:
            node = waiting.pop()
            if id(node) not in found:
                found.add(id(node))
                sources = (self._trace.producers.get(id(value)) for value in node.inputs)
                waiting += [source for source in sources if source is not None]
        return found

    def _collect(self) -> None:
        waiting, seen = [self.node_of(self._whole)], set()
        if self._in_network(waiting[0]):
            raise NotFound("unseen")
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            self._nodes.append(node)
            for value in node.inputs:
                source = self._trace.producers.get(id(value))
                if source is not None and self._in_network(source):
                    self._crossing[id(value)] = value
                elif source is not None:
                    waiting.append(source)
        if not self._crossing or len(self._nodes) > _MOST_NODES:
            raise NotFound("unseen")
        self._nodes.sort(key=lambda node: self._order[id(node)])
        self._learnt = set(self._crossing)
        for node in self._nodes:
            if any(map(_is_weight, node.inputs)) or any(id(value) in self._learnt for value in node.inputs):
                self._learnt |= {id(value) for value in node.results}

    def chosen(self) -> Chosen:
        """The first tensor that all of the loss that learns goes through and that something fits, and what fits it."""
        candidates = list(self._crossing.values())
        candidates += [value for node in self._nodes for value in node.results if id(value) in self._learnt]
        all_through = [
            value
            for value in candidates
            if value is not self._whole and value.size > 1 and not self._reached_without(value)
        ]
        why = "outputs"
        for value in all_through:
            predicted = to_numpy(value)
            found = self._labels(predicted)
            if isinstance(found, str):
                why = "several" if "several" in (why, found) else "outputs" if len(self._crossing) > 1 else found
                continue
            if self._made_of(value, found[0], found[2]):  # a likelihood of the labels is no prediction of them
                continue
            held = next(one for one in all_through if _same(to_numpy(one), predicted))
            return Chosen(held, predicted, *found)
        if why == "labels" and self._unused(to_numpy(all_through[0])):
            why = "unused"
        raise NotFound(why, self.words(), place_of(self._nodes[-1]))

    def _made_of(self, value, labels, position: Optional[int]) -> bool:
        """Whether a tensor was computed from the labels."""
        live = {id(labels)}
        if position is not None:
            live |= {id(one) for one in self._fixed() if self.position_of(one) == position}
        return id(value) in self._grown(live)

    def _unused(self, predicted: np.ndarray) -> bool:
        """Whether class numbers are handed to the step that nothing is computed from, and nothing else is compared."""
        read = [value for node in self._trace.nodes for value in node.inputs]
        idle = [
            one
            for one in self.inputs
            if kind_of(predicted, one) == "classes"
            and one.dtype.kind in "iu"
            and not any(_same(one, to_numpy(value)) for value in read)
        ]
        return len(idle) == 1 and not any(value.size > 1 for value in self._fixed())

    def _reached_without(self, left_out) -> bool:
        """Whether the networks reach the loss by another way than through a tensor."""
        return id(self._whole) in self._grown(set(self._crossing), left_out)

    def _grown(self, live: set, left_out=None) -> set:
        """Ids of tensors, of those computed from them, and so on, none through the tensor ``left_out``."""
        live = live - {id(left_out)}
        for node in self._nodes:
            if any(id(value) in live for value in node.inputs):
                live |= {id(value) for value in node.results if value is not left_out}
        return live

    def position_of(self, value) -> Optional[int]:
        """Which of the step's inputs a tensor is, in whatever shape, or rows of one 1 made of it; None: none."""
        array = to_numpy(value)
        return next((i for i, one in enumerate(self.inputs) if _same(one, array) or _coded(one, array)), None)

    def _fixed(self) -> list:
        """The tensors beside the prediction that do not depend on weights, each once."""
        found = {}
        for node in self._nodes:
            for value in node.inputs:
                if id(value) not in self._learnt and not _is_parameter(value):
                    found[id(value)] = value
        return list(found.values())

    def _labels(self, predicted: np.ndarray):
        """``(tensor, array, position)`` of what a prediction is compared with; or why there is none."""
        fixed, given = self._fixed(), {}
        for value in fixed:
            position, array = self.position_of(value), to_numpy(value)
            if position is not None and kind_of(predicted, array) is not None:
                given.setdefault(position, (value, array, position))
        if len(given) > 1:  # a mask beside the labels
            given = {i: one for i, one in given.items() if not np.isin(one[1], (0, 1)).all()}
            if len(given) != 1:
                return "several"
        own = self._from_labels(next(iter(given))) if given else set()
        computed = [
            value
            for value in fixed
            if value.size == predicted.size
            and id(value) not in own
            and self.position_of(value) is None
            and self._meets(value)
            and kind_of(predicted, to_numpy(value)) == "regression"
        ]
        if given:
            found = next(iter(given.values()))
            return "several" if computed and kind_of(predicted, found[1]) == "classes" else found
        if len(computed) != 1 or id(computed[0]) not in self._trace.keys:
            return "labels"
        return computed[0], to_numpy(computed[0]), None

    def _from_labels(self, position: int) -> set:
        """Ids of the tensors that are computed from an input of the step, without weights, and of itself."""
        own = {id(value) for value in self._fixed() if self.position_of(value) == position}
        for node in self._nodes:
            if any(id(value) in own for value in node.inputs):
                own |= {id(value) for value in node.results if id(value) not in self._learnt}
        return own

    def _meets(self, value) -> bool:
        return any(
            any(one is value for one in node.inputs) and any(id(one) in self._learnt for one in node.inputs)
            for node in self._nodes
        )

    def weighing(self, chosen: Chosen) -> list:
        """Which of the step's inputs are real numbers that take part and do not come from the labels; None among them: such
        numbers that are computed in the step of something else."""
        own = self._from_labels(chosen.position) if chosen.position is not None else {id(chosen.labels)}
        found = [
            value
            for value in self._fixed()
            if id(value) not in own
            and value.ndim > 0
            and len(value) == len(chosen.predicted)
            and _real(to_numpy(value))
            and not _same(to_numpy(value), chosen.label_array)
        ]
        # what is computed of an input that is among them follows from it
        positions = [self.position_of(value) for value in found]
        derived = set().union(*(self._from_labels(position) for position in positions if position is not None))
        kept = [at for value, at in zip(found, positions) if at is not None or id(value) not in derived]
        return list(dict.fromkeys(kept))

    def words(self) -> str:
        """What the loss is written with: its expressions and the functions that they stand in."""
        shown = [node.expression for node in self._nodes if node.expression is not None]
        return " ".join(dict.fromkeys(text for one in shown for text in (one.function, one.code)))


def _is_parameter(value) -> bool:
    from mindspore import Parameter

    return isinstance(value, Parameter)


def _is_weight(value) -> bool:
    return _is_parameter(value) and value.requires_grad and value.size > 1


def _real(array: np.ndarray) -> bool:
    return array.size > 1 and array.dtype.kind == "f" and not np.isin(array, (0, 1)).all() and bool(np.ptp(array) > 0)


def _coded(numbers: np.ndarray, rows: np.ndarray) -> bool:
    """Whether rows have one 1 each, where the class numbers say."""
    if rows.ndim != 2 or numbers.shape != rows.shape[:1] or numbers.dtype.kind not in "iu" or len(rows) < 2:
        return False
    return np.array_equal(class_numbers(rows, rows), numbers)


def _same(one: np.ndarray, array: np.ndarray) -> bool:
    if one.size != array.size or one.dtype.kind not in "fiub" or array.dtype.kind not in "fiub":
        return False
    return np.array_equal(one.reshape(-1).astype(np.float64), array.reshape(-1).astype(np.float64))
