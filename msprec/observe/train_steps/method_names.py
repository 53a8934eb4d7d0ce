"""Which methods of a class compute gradients and leave the update to another, by the names that their code holds."""

import inspect

from msprec.observe.train_steps.gradient_functions import differentiated_in
from msprec.runtime.cells import is_builtin, optimizers_in
from msprec.runtime.closure_scan import names_in


def is_first_half(cell, method: str) -> bool:
    """Whether a cell of the user's computes gradients in a method and leaves the update to another, as where those of several
    batches are added up."""
    return not is_builtin(type(cell)) and differentiated_in(cell) is not None and leaves_update(cell, method)


def leaves_update(cell, method: str) -> bool:
    """Whether a method of a cell, with those that it calls, names none of the cell's optimizers, and another method does."""
    held = {name for name, inner in cell._cells.items() if inner is not None and optimizers_in(inner)}
    methods = {
        name: inspect.unwrap(one) for name, one in vars(type(cell)).items() if callable(one) and name != "__init__"
    }
    codes = {name: getattr(one, "__code__", None) for name, one in methods.items()}
    named = {name: names_in(code) if code is not None else set() for name, code in codes.items()}
    waiting, reached = [method], set()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [one for one in named.get(name, ()) if one in named and one not in reached]
    inside = set().union(*(named.get(name, set()) for name in reached))
    outside = set().union(*(names for name, names in named.items() if name not in reached))
    return method in named and not inside & held and bool(outside & held)
