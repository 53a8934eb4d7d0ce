"""MindSpore's gradient functions, told by their names, and the user's function inside."""

import contextlib
import dis
from collections.abc import Iterator

from msprec.runtime.cells import is_builtin, is_loss_class, is_optimizer_class, parameter_names
from msprec.runtime.hook_points import ALL_FINITE, GRADIENT_CLASSES, GRADIENT_FUNCTION, WRAPPING_FUNCTIONS


def is_gradient_function(function) -> bool:
    """Whether it is what ``mindspore.grad`` and ``mindspore.value_and_grad`` return; in graph mode they compile it."""
    code = getattr(_plain(function), "__code__", None)
    return code is not None and code.co_name == GRADIENT_FUNCTION


def is_all_finite(function) -> bool:
    """Whether it is what ``mindspore.amp.all_finite`` compiles."""
    return function.__name__ == ALL_FINITE and function.__module__ == "mindspore.amp"


def returns_value(function) -> bool:
    """Whether a compiled gradient function gives the value beside the gradients; a user's own function is assumed to."""
    if not is_gradient_function(function):
        return True
    held = _held(_plain(function), ("grad_",))  # in graph mode what is compiled is compiled already
    return bool(held) and bool(getattr(held[0], "get_value", False))


def unscales_value(function) -> bool:
    """Whether a compiled function of the user's takes the loss scale off what it returns: it names ``unscale`` twice or more, for
    the gradients and for the loss."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None or is_gradient_function(function):
        return False
    return sum(one.argval == "unscale" for one in dis.get_instructions(code)) > 1


def innermost(function):
    """The user's function inside MindSpore's gradient function."""
    for _ in range(4):
        target = getattr(function, "__func__", function)
        if getattr(getattr(target, "__code__", None), "co_name", "") not in WRAPPING_FUNCTIONS[:2]:
            break
        inner = _held(target, ("fn", "fn_"))
        if not inner:
            break
        function = inner[0]
    return function


def forward_of(function):
    """The user's function whose gradients are computed: inside MindSpore's gradient function, or inside the one gradient function
    that a function of the user's calls with arguments of the same names; else the function itself."""
    forward = innermost(function)
    inside = [held for held in _closure_of(forward) if is_gradient_function(held)]
    if len(inside) != 1:
        return forward
    inner = innermost(inside[0])
    return inner if parameter_names(inner) == parameter_names(forward) != [] else forward


def held_gradients(function, optimizer) -> tuple:
    """The sums of gradients that a compiled update holds in its closure: tensors of the shapes of the optimizer's parameters, and
    none of these; empty where it holds none."""
    shapes = [tuple(one.shape) for one in optimizer.parameters]
    own = set(map(id, optimizer.parameters))
    for held in _closure_of(function):
        alike = isinstance(held, (list, tuple)) and [getattr(one, "shape", None) for one in held] == shapes
        if alike and not own & set(map(id, held)):
            return (held,)
    return ()


def _plain(function):
    """The function of the script's inside a compiled one and a method."""
    function = getattr(function, "__wrapped__", function)
    return getattr(function, "__func__", function)


def _closure_of(function) -> Iterator:
    """What the closure of a function, compiled or not, holds; not what is not there yet."""
    for cell in getattr(_plain(function), "__closure__", None) or ():
        with contextlib.suppress(ValueError):
            yield cell.cell_contents


def _held(function, names: tuple) -> list:
    """What the function's closure holds by these names."""
    free = function.__code__.co_freevars
    return [cell.cell_contents for name, cell in zip(free, function.__closure__ or ()) if name in names]


def holds_gradient(cell) -> bool:
    """Whether a cell holds a ``GradOperation``, or what ``mindspore.grad`` or ``value_and_grad`` returned."""
    held = vars(cell).values()
    return any(type(value).__name__ in GRADIENT_CLASSES or is_gradient_function(value) for value in held)


def differentiated_in(cell):
    """What is differentiated in a cell: the network of ``nn.ForwardValueAndGrad``; of a cell of the user's the method or function
    that it gave ``mindspore.value_and_grad``, or, where it `holds_gradient`, its one network. None where the cell is another."""
    if type(cell).__name__ == "ForwardValueAndGrad" and is_builtin(type(cell)):
        return cell.network if not cell.sens_param else None
    if is_builtin(type(cell)) or not holds_gradient(cell):
        return None
    made = [value for value in vars(cell).values() if is_gradient_function(value)]
    if len(made) == 1:
        return innermost(made[0])
    kinds = (is_loss_class, is_optimizer_class)
    held = [one for one in cell._cells.values() if one is not None and not any(is_kind(type(one)) for is_kind in kinds)]
    return held[0] if len(held) == 1 else None
