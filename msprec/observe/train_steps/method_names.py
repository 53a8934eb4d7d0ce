"""Which methods of a class call its optimizers, by the names that their code holds."""

import inspect

from msprec.runtime.cells import optimizers_in


def leaves_update(cell, method: str) -> bool:
    """Whether a method of a cell, with those that it calls, names none of the cell's optimizers, and another method does."""
    held = {name for name, inner in cell._cells.items() if inner is not None and optimizers_in(inner)}
    methods = {
        name: inspect.unwrap(one) for name, one in vars(type(cell)).items() if callable(one) and name != "__init__"
    }
    named = {name: _names_in(getattr(one, "__code__", None)) for name, one in methods.items()}
    waiting, reached = [method], set()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [one for one in named.get(name, ()) if one in named and one not in reached]
    inside = set().union(*(named.get(name, set()) for name in reached))
    outside = set().union(*(names for name, names in named.items() if name not in reached))
    return method in named and not inside & held and bool(outside & held)


def _names_in(code) -> set:
    """The attributes and globals that a code names, with the functions in it."""
    if code is None:
        return set()
    inner = [one for one in code.co_consts if isinstance(one, type(code))]
    return set(code.co_names).union(*map(_names_in, inner))
