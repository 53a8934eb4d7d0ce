"""Cells: their tree, their parameters, and which of MindSpore's classes they are."""

import inspect
from collections.abc import Iterator
from functools import lru_cache

from msprec.runtime.hook_points import LOSS_BASES

_DROPOUTS = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")


def walk(root, optimizers: bool = True) -> Iterator[tuple]:
    """``(path, cell)`` for the root (path "") and every cell below it, each cell once, in the order of construction.

    ``optimizers`` False leaves out optimizers and what they hold.
    """
    seen, stack = set(), [("", root)]
    while stack:
        path, cell = stack.pop()
        if id(cell) in seen or (not optimizers and is_optimizer_class(type(cell))):
            continue
        seen.add(id(cell))
        yield path, cell
        children = [(f"{path}.{n}" if path else n, c) for n, c in cell._cells.items() if c is not None]
        stack.extend(reversed(children))


def parameters_of(root) -> Iterator[tuple]:
    """``(path, parameter, cell path, cell)`` for each parameter below ``root`` but those of optimizers, each once."""
    seen = set()
    for path, cell in walk(root, optimizers=False):
        for name, parameter in cell._params.items():
            if parameter is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                yield (f"{path}.{name}" if path else name), parameter, path, cell


def parameter_names(function) -> list:
    """The names of the parameters of a function, or of a cell's ``construct``; empty where they cannot be told."""
    try:
        return list(inspect.signature(getattr(function, "construct", function)).parameters)
    except (TypeError, ValueError):
        return []


def is_builtin(cls: type) -> bool:
    return cls.__module__.split(".")[0] == "mindspore"


def is_internal(cls: type) -> bool:
    """A cell of MindSpore's own that its functions or ``recompute()`` make."""
    return is_builtin(cls) and cls.__name__.startswith("_")


@lru_cache(maxsize=1024)
def is_optimizer_class(cls: type) -> bool:
    return any(base.__name__ == "Optimizer" and is_builtin(base) for base in cls.__mro__)


@lru_cache(maxsize=1024)
def is_dropout_class(cls: type) -> bool:
    return any(base.__name__ in _DROPOUTS and is_builtin(base) for base in cls.__mro__)


def drop_share(cell) -> float:
    """The share a dropout drops; 1 when it cannot be told (so that the cell counts)."""
    for name in ("p", "dropout", "dropout_p"):
        value = cell.__dict__.get(name)
        if isinstance(value, (int, float)):
            return float(value)
    keep = cell.__dict__.get("keep_prob")
    return 1.0 - float(keep) if isinstance(keep, (int, float)) else 1.0


@lru_cache(maxsize=1024)
def is_loss_class(cls: type) -> bool:
    return any(base.__name__ in LOSS_BASES and is_builtin(base) for base in cls.__mro__)


@lru_cache(maxsize=1024)
def is_wrapper_class(cls: type) -> bool:
    """A cell of MindSpore's that wraps the network of a user: not itself a layer."""
    return is_builtin(cls) and cls.__module__.startswith(("mindspore.nn.wrap", "mindspore.train"))


def unwrap(cell):
    """The user's network inside MindSpore's own wrappers (WithLossCell, TrainOneStepCell, ...)."""
    while is_wrapper_class(type(cell)):
        inner = [
            c
            for n, c in cell._cells.items()
            if c is not None and n in ("network", "_backbone", "backbone", "_network") and not is_loss_class(type(c))
        ]
        if not inner:
            break
        cell = inner[0]
    return cell


def optimizers_in(cell) -> list:
    """Optimizers below a cell, those in plain lists of its attributes included."""
    found = [inner for _, inner in walk(cell) if is_optimizer_class(type(inner))]
    for value in vars(cell).values():
        if isinstance(value, (list, tuple)):
            found += [v for v in value if hasattr(v, "_cells") and is_optimizer_class(type(v)) and v not in found]
    return found


def all_parameters(roots) -> list:
    """Every Parameter of the cells and of what they hold, optimizers included, each once."""
    found = {}
    for root in roots:
        for _, cell in walk(root):
            for parameter in cell._params.values():
                if parameter is not None and not getattr(parameter, "has_init", False):
                    found[id(parameter)] = parameter
    return list(found.values())
