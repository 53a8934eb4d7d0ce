"""What a function can reach without being run: optimizers, networks, loss scalers, gradient functions."""

import contextlib
import types
from collections.abc import Iterator
from typing import NamedTuple

from msprec.runtime.cells import is_loss_class, is_optimizer_class, walk
from msprec.runtime.hook_points import GRADIENT_CLASSES, GRADIENT_FUNCTION, LOSS_SCALERS
from msprec.runtime.scalars import is_parameter

_MOST = 400


class Reached(NamedTuple):
    """Objects that a function's closure, globals and ``self`` lead to.

    ``parameters``: those that stand in no cell and that a function which is differentiated reaches; what a training step keeps
    beside it, as averages of the weights, is none of them.
    """

    optimizers: tuple
    networks: tuple
    losses: tuple
    scalers: tuple
    has_gradient: bool
    functions: tuple
    parameters: tuple


def _is_cell(value) -> bool:
    return any(base.__name__ == "Cell" and base.__module__ == "mindspore.nn.cell" for base in type(value).__mro__)


def names_in(code: types.CodeType) -> set:
    """The global names and attributes that a function's code and the functions inside it name."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return names


def _key(value):
    """What tells an object from others; of a bound method, which is made anew whenever it is asked for, its parts."""
    return (id(value.__func__), id(value.__self__)) if isinstance(value, types.MethodType) else id(value)


class _Walk:
    def __init__(self) -> None:
        self.seen, self.optimizers, self.networks, self.losses, self.scalers = set(), [], [], [], []
        self.functions, self.gradient = [], False
        # Parameters that stand in no cell: reached inside what a gradient is computed of, and elsewhere
        self.inside, self.weights, self.others = False, [], []
        self.budget = _MOST

    def value(self, value, names: frozenset = frozenset()) -> None:
        if _key(value) in self.seen or self.budget <= 0:
            return
        if isinstance(value, (types.FunctionType, types.MethodType)) or hasattr(value, "__wrapped__"):
            self.function(value)
        elif _is_cell(value):
            self.cell(value)
        elif type(value).__name__ in LOSS_SCALERS:
            self.seen.add(id(value))
            self.scalers.append(value)
        elif type(value).__name__ in GRADIENT_CLASSES:
            self.gradient = True
        elif isinstance(value, (list, tuple)) and len(value) <= 64:
            if (id(value), self.inside) in self.seen:
                return
            self.seen.add((id(value), self.inside))  # what was reached elsewhere may be reached inside later
            for item in value:
                self.value(item)
        elif isinstance(value, dict) and len(value) <= 64:
            for item in filter(is_parameter, value.values()):
                self.value(item)
        elif is_parameter(value) and hasattr(value, "requires_grad"):
            known = self.weights if self.inside else self.others
            if not any(value is one for one in known):
                known.append(value)
        elif hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType)):
            self.instance(value, names)

    def instance(self, value, names: frozenset) -> None:
        """A plain object of the user's (a trainer class): the attributes that the code names."""
        if type(value).__module__.split(".")[0] in ("mindspore", "numpy", "builtins"):
            return
        for name in names:
            if (id(value), name) in self.seen:
                continue
            self.seen.add((id(value), name))
            held = vars(value).get(name, None)
            if held is None:
                held = getattr(type(value), name, None)
                held = types.MethodType(held, value) if isinstance(held, types.FunctionType) else held
            if held is not None:
                self.value(held, names)

    def cell(self, cell) -> None:
        self.seen.add(id(cell))
        if is_optimizer_class(type(cell)):
            self.optimizers.append(cell)
        elif is_loss_class(type(cell)):
            self.losses.append(cell)
        else:
            self.networks.append(cell)
            for _, inner in walk(cell):
                if is_optimizer_class(type(inner)) and inner not in self.optimizers:
                    self.optimizers.append(inner)

    def function(self, function) -> None:
        self.seen.add(_key(function))
        self.budget -= 1
        inner, owner = getattr(function, "__wrapped__", None), getattr(function, "__self__", None)
        if inner is not None:
            bound = owner is not None and isinstance(inner, types.FunctionType)
            self.value(types.MethodType(inner, owner) if bound else inner)
        target = getattr(function, "__func__", function)
        code = getattr(target, "__code__", None)
        if code is None:
            return
        makes_gradient = code.co_name in (GRADIENT_FUNCTION, "grad_fn") and "mindspore" in code.co_filename
        if makes_gradient:
            self.gradient = True
        elif code.co_name in ("value_and_grad", "grad") and "mindspore" in code.co_filename:
            self.gradient = True
            return
        elif "mindspore" not in (getattr(target, "__module__", "") or "").split(".")[0]:
            self.functions.append(function)
        around, self.inside = self.inside, self.inside or makes_gradient
        self._named(function, target, frozenset(names_in(code)))
        self.inside = around

    def _named(self, function, target, names: frozenset) -> None:
        """What a function's ``self``, closure and globals hold; what makes gradients first, so that what it differentiates is
        seen as that."""
        if getattr(function, "__self__", None) is not None:
            self.value(function.__self__, names)
        for held in getattr(target, "__closure__", None) or ():
            try:
                self.value(held.cell_contents, names)
            except ValueError:
                continue
        if (target.__module__ or "").split(".")[0] != "mindspore":
            here = target.__globals__
            for name in sorted(
                (name for name in names if name in here), key=lambda name: not _of_gradients(here[name])
            ):
                self.value(here[name], names)


def _of_gradients(value) -> bool:
    """Whether this is a function of MindSpore's own, as its gradient functions are, or one that it has compiled."""
    target = getattr(value, "__wrapped__", value)
    return "mindspore" in getattr(getattr(target, "__code__", None), "co_filename", "")


def reached_from(function, owner=None, differentiated: bool = False) -> Reached:
    """Follows closures, named globals, bound instances and ``__wrapped__``; at most some hundred functions.

    Args:
        function: A function or a cell.
        owner: The object of which it is a method, where it is not bound.
        differentiated: Whether it is the function whose gradient is computed, or a step that computes one.
    """
    found = _Walk()
    if _is_cell(function):
        found.cell(function)
    else:
        found.function(function)
    if owner is not None:
        target = getattr(function, "__func__", function)
        found.value(owner, frozenset(names_in(target.__code__)) if hasattr(target, "__code__") else frozenset())
    losses = tuple(found.losses)
    return Reached(
        tuple(found.optimizers),
        tuple(found.networks),
        losses,
        tuple(found.scalers),
        found.gradient,
        tuple(found.functions),
        tuple(found.others if differentiated and not found.gradient else found.weights),
    )


class Bindings:
    """What the names in functions' code mean now: the cells and functions that they lead to, by global name or closure.

    A script may bind a name anew before a function is called again (``model = Network()`` to load a checkpoint into).
    """

    def __init__(self, functions) -> None:
        self._globals, self._closures = {}, {}
        for function in functions:
            target = getattr(function, "__func__", function)
            code = getattr(target, "__code__", None)
            if code is None:
                continue
            for name in names_in(code):
                if callable(value := target.__globals__.get(name)):
                    self._globals[id(target.__globals__), name] = (target.__globals__, value)
            for held in target.__closure__ or ():
                with contextlib.suppress(ValueError):  # a name that is not bound yet
                    if callable(held.cell_contents):
                        self._closures[id(held)] = (held, held.cell_contents)

    @contextlib.contextmanager
    def as_they_were(self) -> Iterator[None]:
        """Binds the names so for a while."""
        meant = [(names, name, value, names.get(name)) for (_, name), (names, value) in self._globals.items()]
        held = [(cell, value, cell.cell_contents) for cell, value in self._closures.values()]
        for names, name, value, _ in meant:
            names[name] = value
        for cell, value, _ in held:
            cell.cell_contents = value
        try:
            yield
        finally:
            for names, name, _, now in meant:
                names[name] = now
            for cell, _, now in held:
                cell.cell_contents = now
