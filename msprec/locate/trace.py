"""What happens inside a replayed step: each watched expression and cell, its tensors, the gradients on its inputs."""

import operator
import types
from collections.abc import Iterator
from typing import Optional

import numpy as np

from msprec.locate.instrument import Expression, rewrite
from msprec.record.nested import flatten
from msprec.runtime.cells import is_builtin, is_optimizer_class
from msprec.runtime.hook_points import GRADIENT_FUNCTION, WRAPPING_FUNCTIONS
from msprec.runtime.source_locations import is_user_file

_BINARY = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "Pow": operator.pow,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "MatMult": operator.matmul,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
}
_INPLACE = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "Div": operator.itruediv,
    "Pow": operator.ipow,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "MatMult": operator.imatmul,
    "BitAnd": operator.iand,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
}
_CLASSIFYING = ("crossentropyloss", "cross_entropy", "nll_loss", "nllloss", "softmaxcrossentropywithlogits")
# these change what they are given: a gradient hook would hand them a copy
_CHANGES = ("assign", "update", "set_data", "load_param", "copy_", "scatter_", "depend")


class Node:
    """One expression or cell that ran: what went in and what came out.

    ``inputs`` and ``results`` are lists of ``(name, value)`` with tensors as they were; ``bad`` tells of each result
    ``(has NaN, has infinity)``. ``inner``: the nodes that ran within it, such as those below a cell of MindSpore's.
    """

    def __init__(self, expression: Optional[Expression], cell: str, operator_name: str, stack: tuple) -> None:
        self.expression, self.cell, self.operator, self.stack = expression, cell, operator_name, stack
        self.inputs, self.results, self.sources = [], [], []
        self.bad_inputs = self.bad = (False, False)
        self.literals = []
        self.cell_object = None
        self.gradient = None
        self.before, self.inner = 0, []


def ancestors(nodes: list, within: bool = False) -> Iterator[Node]:
    """These nodes (None among them is left out) and all that they were computed from, each once.

    Args:
        nodes: Where to begin.
        within: Also the nodes that ran within each of them.
    """
    waiting, seen = list(nodes), set()
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(node.sources)
            if within:
                waiting.extend(node.inner)


class Edge:
    """A tensor that flows into a node, and the gradient that came back on it: ``(has NaN, has infinity)``."""

    def __init__(self, node: Node, value, order: int) -> None:
        self.node, self.value, self.order, self.gradient = node, value, order, None


class Trace:
    """The watch of `rewrite` and of cells, for one replay.

    Args:
        cells: The network's cells.
        paths: ``{id(cell): path}`` of them.
        backward: Whether to put gradient hooks on what flows into each node.
    """

    def __init__(self, cells: list, paths: dict, backward: bool) -> None:
        self.cells, self.paths, self.backward = cells, paths, backward
        self.nodes, self.bad_edges, self.producers, self._kept = [], [], {}, []
        self.gradients = self.weights = self.failed = None
        self._cells, self._pending, self._calls = [], None, []
        self._rewritten, self._constructs = {}, {}

    # --- what rewritten functions call -----------------------------------------------------------------------------
    def call(self, expression, function, *args, **kwargs):
        return self._run(expression, function, args, kwargs, expression.operator)

    def method(self, expression, owner, name, *args, **kwargs):
        function = getattr(owner, name)
        if _is_tensor(owner):
            if name in ("asnumpy", "item", "tolist") or name.startswith("__"):
                return function(*args, **kwargs)
            hooks = not (name.endswith("_") or name.startswith(_CHANGES))

            def run(this, *rest, **named):
                return getattr(this, name)(*rest, **named)

            return self._node(expression, run, (owner, *args), kwargs, f"Tensor.{name}", hooks)
        return self._run(expression, function, args, kwargs, expression.operator)

    def binary(self, expression, name, left, right):
        if not (_is_tensor(left) or _is_tensor(right)):
            return _BINARY[name](left, right)
        return self._node(expression, _BINARY[name], (left, right), {}, name)

    def inplace(self, expression, name, left, right):
        if not (_is_tensor(left) or _is_tensor(right)):
            return _INPLACE[name](left, right)
        return self._node(expression, _BINARY[name], (left, right), {}, name)

    def unary(self, expression, value):
        return self._node(expression, operator.neg, (value,), {}, "USub") if _is_tensor(value) else -value

    def item(self, expression, owner, index):
        if not _is_tensor(owner):
            return owner[index]
        return self._node(expression, operator.getitem, (owner, index), {}, "[]")

    def attribute(self, expression, owner, name):
        if not _is_tensor(owner):
            return getattr(owner, name)
        return self._node(expression, getattr, (owner, name), {}, f"Tensor.{name}")

    # --- inside ----------------------------------------------------------------------------------------------------
    def _run(self, expression, function, args, kwargs, operator_name):
        if _is_cell(function):
            self._pending = expression
            return function(*args, **kwargs)
        if _is_gradient(function):
            return self.run_gradient(function, args, kwargs)
        if type(function).__name__ in ("GradOperation", "_Grad"):  # makes a gradient function of a cell and its weights
            return function(*args, **kwargs)
        own = self.own(function)
        if own is not None:
            self._calls.append(expression)
            try:
                return own(*args, **kwargs)
            finally:
                self._calls.pop()
        if not any(_is_tensor(value) for value in flatten((args, kwargs))):
            result = function(*args, **kwargs)
            if any(_is_tensor(value) for value in flatten(result)):
                self._record(expression, operator_name, (args, kwargs), result)
            return result
        hooks = not operator_name.rsplit(".", 1)[-1].lower().startswith(_CHANGES)
        return self._node(expression, function, args, kwargs, operator_name, hooks)

    def own(self, function):
        """The rewritten form of a function of the user's, bound as it was; None for any other callable."""
        target = getattr(function, "__func__", function)
        wrapped = getattr(target, "__wrapped__", None)
        if wrapped is not None and not is_user_file(getattr(getattr(target, "__code__", None), "co_filename", "<")):
            target = wrapped  # compiled by jit
        if not isinstance(target, types.FunctionType) or not is_user_file(target.__code__.co_filename):
            return None
        if target not in self._rewritten:
            self._rewritten[target] = rewrite(target, self)
        made = self._rewritten[target]
        if made is None:
            return None
        bound = getattr(function, "__self__", None)
        return made.__get__(bound) if bound is not None else made

    def call_function(self, function, args):
        """Runs the function that a step is, and returns its loss."""
        if _is_cell(function):
            return function(*args)
        if _is_gradient(function):
            result = self.run_gradient(function, args, {})
            return result[0] if isinstance(result, tuple) else None
        own = self.own(function)
        return (own or function)(*args)

    def run_gradient(self, function, args, kwargs):
        """Runs a function made by ``value_and_grad`` or ``GradOperation`` with the user's function in it watched."""
        holder = _closure_cell(function, ("fn", "fn_"))
        inner = holder.cell_contents if holder is not None else None
        own = self.own(inner) if inner is not None and not _is_cell(inner) else None
        if own is not None:
            holder.cell_contents = own
        try:
            result = function(*args, **kwargs)
        finally:
            if own is not None:
                holder.cell_contents = inner
        self.gradients = result
        weights = _closure_cell(function, ("weights", "weights_"))
        self.weights = list(flatten(weights.cell_contents)) if weights is not None else None
        return result

    def cell_call(self, original, cell, args, kwargs):
        """A call of a cell, by anyone."""
        if is_optimizer_class(type(cell)):
            return original(cell, *args, **kwargs)
        expression, self._pending = self._pending, None
        path = self.paths.get(id(cell), type(cell).__name__)
        self._cells.append(path)
        try:
            if self._watched_construct(type(cell)):
                # what is inside tells more: this one only gives its path and its line to it
                self._calls.append(expression)
                try:
                    return original(cell, *args, **kwargs)
                finally:
                    self._calls.pop()

            def run(*rest, **named):
                self._calls.append(expression)
                try:
                    return original(cell, *rest, **named)
                finally:
                    self._calls.pop()

            name = f"nn.{type(cell).__name__}" if is_builtin(type(cell)) else type(cell).__name__
            return self._node(expression or self._nearest(), run, args, kwargs, name, not cell._cells, cell)
        finally:
            self._cells.pop()

    def _watched_construct(self, cls) -> bool:
        """Whether the class's ``construct`` is the user's and now the rewritten one."""
        home = next((base for base in cls.__mro__ if "construct" in vars(base)), None)
        if home is None or is_builtin(home):
            return False
        if home not in self._constructs:
            function = vars(home)["construct"]
            made = self.own(function)
            self._constructs[home] = function if made is not None else None
            if made is not None:
                home.construct = made
        return self._constructs[home] is not None

    def restore_classes(self) -> None:
        """Gives every class its own ``construct`` back."""
        for home, function in self._constructs.items():
            if function is not None:
                home.construct = function
        self._constructs.clear()

    def _nearest(self) -> Optional[Expression]:
        return next((one for one in reversed(self._calls) if one is not None), None)

    def _node(self, expression, function, args, kwargs, operator_name, hooks=True, cell=None):
        node = self._begin(expression, operator_name, (args, kwargs))
        node.cell_object = cell
        if self.backward and hooks:
            args, kwargs = self._hooked(node, args), self._hooked(node, kwargs)
        pending = self._pending
        try:
            # a kernel that is given such an index may end the process
            _check_indices(operator_name, node.inputs, cell, _ignored(cell, args, kwargs))
            result = function(*args, **kwargs)
            # its values are read here, so that an operator that fails on the device fails here too
            self._end(node, result)
        except Exception:
            self.failed = self.failed or node
            raise
        self._pending = pending
        return result

    def _record(self, expression, operator_name, inputs, result) -> None:
        self._end(self._begin(expression, operator_name, inputs), result)

    def _begin(self, expression, operator_name, inputs) -> Node:
        stack = tuple(one for one in self._calls if one is not None)
        node = Node(expression, self._cells[-1] if self._cells else "", operator_name, stack)
        node.before = len(self.nodes)
        for value in flatten(inputs):
            if _is_tensor(value):
                node.inputs.append(value)
                source = self.producers.get(id(value))
                if source is not None:
                    node.sources.append(source)
            elif isinstance(value, float):
                node.literals.append(value)
        return node

    def _end(self, node: Node, result) -> None:
        node.inner = self.nodes[node.before :]
        self._link_inner(node)
        node.bad_inputs = _either(bad_values(value) for value in node.inputs)
        for value in flatten(result):
            if _is_tensor(value):
                node.results.append(value)
                if id(value) not in self.producers:
                    self.producers[id(value)] = node
                    self._kept.append(value)  # so that its id stays its own
        node.bad = _either(bad_values(value) for value in node.results)
        self.nodes.append(node)

    def _link_inner(self, node: Node) -> None:
        """What a node within is given that no watched node made, as a Dense hands it to its activation, came of what this one was
        given."""
        given = {id(value) for value in node.inputs}
        for inner in node.inner if node.sources else []:
            if any(id(value) not in given and id(value) not in self.producers for value in inner.inputs):
                inner.sources.extend(source for source in node.sources if source not in inner.sources)

    def gradient_came(self, edge: Edge, gradient) -> None:
        """A gradient came back on an edge: kept where it is not finite."""
        tensor = gradient[0] if isinstance(gradient, tuple) else gradient
        edge.gradient = bad_values(tensor)
        if any(edge.gradient):
            self.bad_edges.append(edge)

    def _hooked(self, node: Node, values):
        """``values`` with a gradient hook on each floating tensor."""
        if isinstance(values, dict):
            return {key: self._hooked(node, value) for key, value in values.items()}
        if isinstance(values, (tuple, list)):
            # a ParameterTuple says which weights are meant: hooked copies would be others
            if hasattr(values, "_fields") or type(values).__name__ == "ParameterTuple":
                return values
            return type(values)(self._hooked(node, value) for value in values)
        return self._with_hook(node, values) if _is_tensor(values) and "Float" in str(values.dtype) else values

    def _with_hook(self, node: Node, value):
        from mindspore import ops

        edge = Edge(node, value, len(self._kept))

        hooked = ops.HookBackward(lambda gradient: self.gradient_came(edge, gradient))(value)
        source = self.producers.get(id(value))
        if source is not None:
            self.producers[id(hooked)] = source
        self._kept.append(hooked)
        return hooked


def _ignored(cell, args: tuple, kwargs: dict):
    """The label that a cross-entropy leaves out: of its cell, or of a function's arguments, of which it is the fourth."""
    given = kwargs.get("ignore_index", args[3] if len(args) > 3 else None)
    return given if isinstance(given, int) else getattr(cell, "ignore_index", -100)


def _check_indices(operator_name: str, inputs: list, cell, ignored: int) -> None:
    """Raises IndexError where labels other than ``ignored`` lie beyond the classes, or ids beyond the rows of an embedding."""
    name = operator_name.rsplit(".", 1)[-1].lower()
    indices = [value for value in inputs if str(value.dtype).startswith(("Int", "UInt"))]
    if name in _CLASSIFYING and indices and inputs[0].ndim > 1:
        rows, left_out = inputs[0].shape[1], ignored
    elif name == "embedding" and indices and getattr(cell, "vocab_size", None):
        rows, left_out = cell.vocab_size, None
    else:
        return
    values = to_numpy(indices[-1])
    bad = values[((values < 0) | (values >= rows)) & (values != left_out)]
    if bad.size:
        raise IndexError(f"index {bad.flat[0]} is out of range: {rows} classes or rows, {bad.size} such elements")


def bad_values(tensor) -> tuple:
    """``(has NaN, has infinity)`` of a tensor; reads it to the host."""
    if "Float" not in str(tensor.dtype) and "Complex" not in str(tensor.dtype):
        return False, False
    values = to_numpy(tensor)
    if np.isfinite(values).all():
        return False, False
    return bool(np.isnan(values).any()), bool(np.isinf(values).any())


def to_numpy(tensor) -> np.ndarray:
    """A tensor's values; bfloat16, which NumPy lacks, as float32."""
    return np.asarray((tensor.float() if str(tensor.dtype) == "BFloat16" else tensor).asnumpy())


def _either(pairs) -> tuple:
    nan = inf = False
    for has_nan, has_inf in pairs:
        nan, inf = nan or has_nan, inf or has_inf
    return nan, inf


def _is_tensor(value) -> bool:
    return hasattr(value, "asnumpy") and hasattr(value, "dtype") and hasattr(value, "shape")


def _is_cell(value) -> bool:
    return hasattr(value, "_cells") and hasattr(value, "construct")


def _uncompiled(function):
    """The gradient function itself: in graph mode MindSpore's ``value_and_grad`` gives a compiled one."""
    target = getattr(function, "__func__", function)
    inner = getattr(target, "__wrapped__", None)
    named = getattr(getattr(inner, "__code__", None), "co_name", "")
    return inner if named == GRADIENT_FUNCTION else target


def _is_gradient(function) -> bool:
    target = _uncompiled(function)
    return getattr(getattr(target, "__code__", None), "co_name", "") == GRADIENT_FUNCTION


def _closure_cell(function, names: tuple):
    """The closure cell that holds the differentiated function, MindSpore's own wrappers looked through."""
    for _ in range(4):
        target = _uncompiled(function)
        code = getattr(target, "__code__", None)
        if code is None:
            return None
        cells = dict(zip(code.co_freevars, target.__closure__ or ()))
        found = next((cells[name] for name in names if name in cells), None)
        if found is None:
            return None
        inner = found.cell_contents
        if getattr(getattr(inner, "__code__", None), "co_name", "") not in WRAPPING_FUNCTIONS:
            return found
        function = inner
    return None
