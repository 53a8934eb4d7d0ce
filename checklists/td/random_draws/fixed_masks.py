"""Dropout masks that a cell draws once, when it is made (td.06)."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from msprec.checklists.common.script.own_classes import class_names
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

_DRAWS = {"rand", "random", "random_sample", "uniform", "uniform_", "standard_normal", "randn", "normal"}
#: Draws that give zeros and ones without a comparison.
_ZEROS_AND_ONES = {"binomial", "bernoulli"}
_MULTIPLIES = {"mul", "multiply"}


class FixedMask(NamedTuple):
    """``name`` of a class's field that holds the mask; ``place`` where it is drawn."""

    name: str
    place: Fact


def fixed_masks(run_data: RunData) -> list[FixedMask]:
    """Fields that ``__init__`` of a cell of the network fills with zeros and ones drawn at random, and that another method
    multiplies with in training mode alone, or in a class whose name speaks of dropout.

    Masks of sparse weights hold in inference too, and are none of them.
    """
    found = []
    for name in sorted(class_names(run_data)):
        for file, node in run_data.source.classes(name):
            used = set(_multiplied(node, "drop" in node.name.lower()))
            found += [FixedMask(field, place(file, line)) for field, line in _drawn(node) if field in used]
    return found


def _methods(node: ast.ClassDef, made: bool) -> Iterator[ast.FunctionDef]:
    return (one for one in node.body if isinstance(one, ast.FunctionDef) and (one.name == "__init__") is made)


def _drawn(node: ast.ClassDef) -> Iterator[tuple]:
    """``(field, line)`` of the zeros and ones that are drawn in ``__init__``."""
    for method in _methods(node, True):
        for one in ast.walk(method):
            if isinstance(one, ast.Assign) and _is_mask(one.value):
                yield from ((target.attr, one.lineno) for target in one.targets if isinstance(target, ast.Attribute))


def _is_mask(value: ast.expr) -> bool:
    calls = {called_name(one) for one in ast.walk(value) if isinstance(one, ast.Call)}
    compared = any(isinstance(one, ast.Compare) for one in ast.walk(value))
    return bool(calls & _ZEROS_AND_ONES) or (compared and bool(calls & _DRAWS))


def _multiplied(node: ast.ClassDef, always: bool) -> Iterator[str]:
    """The fields that are factors of a product in a method but ``__init__``; not ``always``: where it asks for training mode."""
    for method in _methods(node, False):
        guarded = any(isinstance(one, ast.Attribute) and one.attr == "training" for one in ast.walk(method))
        for one in ast.walk(method) if always or guarded else ():
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult):
                factors = [one.left, one.right]
            elif isinstance(one, ast.Call) and called_name(one) in _MULTIPLIES:
                factors = one.args
            else:
                continue
            yield from (each.attr for each in factors if isinstance(each, ast.Attribute))
