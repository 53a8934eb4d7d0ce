"""What an argmax of a network's output goes over."""

import ast
from typing import NamedTuple, Optional

from msprec.checklists.common.script.own_classes import class_names
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, target_names

_MODULES = ("np", "numpy", "ops", "mint", "mnp", "ms", "P", "F")


class OverPlaces(NamedTuple):
    """Where the argmax is taken, and how many places, and classes, there are."""

    place: Fact
    places: int


def argmax_over_places(run_data: RunData) -> Optional[OverPlaces]:
    """An argmax along axis 1 of scores (samples, places, classes) with as many places as classes; None where there is none. The
    training gave its cross-entropy a row for each place of each sample."""
    rows, count = scores_shape(run_data)
    sets = [one for one in run_data.datasets_of("train") if one.batch_size and rows == one.batch_size * count]
    if count < 2 or [count] not in [list(column.shape or ()) for one in sets for column in one.columns]:
        return None
    for file, call in run_data.source.calls_anywhere(("argmax",)):
        if written_axis(call) in (1, -2) and of_network(run_data, file, call):
            return OverPlaces(place(file, call.lineno), count)
    return None


def scores_shape(run_data: RunData) -> tuple:
    """``(rows, classes)`` of what the cross-entropies are given, where all are given the same of two axes; else (0, 0)."""
    shapes = {tuple(one.predicted.shape or ()) for one in run_data.probes.losses if one.kind == "softmax_cross_entropy"}
    rows, classes = shapes.pop() if len(shapes) == 1 and all(len(one) == 2 for one in shapes) else (0, 0)
    return rows or 0, classes or 0


def written_axis(call: ast.Call) -> Optional[int]:
    """The axis that an argmax goes over, where it is written as a number."""
    words = [one.value for one in call.keywords if one.arg in ("axis", "dim")]
    given = words or call.args[0 if is_method(call) else 1 :][:1]
    try:
        return ast.literal_eval(given[0]) if given else None
    except ValueError:
        return None


def is_method(call: ast.Call) -> bool:
    """Whether it is a method of what it is taken of, and no function of a module."""
    owner = getattr(call.func, "value", None)
    return owner is not None and not (isinstance(owner, ast.Name) and owner.id in _MODULES)


def of_network(run_data: RunData, file: str, call: ast.Call) -> bool:
    """Whether what an argmax is taken of comes from a call of a cell, at once or by one name."""
    return comes_from_network(run_data, file, [call.func] if is_method(call) else call.args[:1])


def comes_from_network(run_data: RunData, file: str, held: list) -> bool:
    """Whether expressions call a cell of the run, or read a name that is given what one gives."""
    names = {name for one in held for name in target_names(one)}
    called = _plainly_called(held)
    for store in run_data.source.nodes(file, ast.Assign):
        if names & bound_names(store.targets):
            called |= _plainly_called([store.value])
    kept = [one for one in run_data.source.nodes(file, ast.Assign) if called & bound_names(one.targets)]
    classes = class_names(run_data)
    return any(isinstance(one.value, ast.Call) and called_name(one.value) in classes for one in kept)


def _plainly_called(parts: list) -> set:
    """The names that are called in these expressions, without an object before them."""
    calls = [one for part in parts for one in ast.walk(part) if isinstance(one, ast.Call)]
    return {one.func.id for one in calls if isinstance(one.func, ast.Name)}
