"""Does the network hide what its mask marks as padding, or the real elements? Read where the meaning is plain (dp.04)."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional, Union

from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.names import words
from msprec.source.user_code import bound_names, called_name

_MASKS = re.compile(r"mask|pad", re.IGNORECASE)
_SHAPES = words(
    """
    reshape view expand_dims unsqueeze broadcast_to tile swapaxes transpose permute repeat expand_as expand astype
    bool to float half cast squeeze copy
    """
)
_MODULES = {"ops", "F", "P", "mint", "mnp", "np", "ms", "mindspore"}
#: What is added to or put in place of scores that softmax has to pass over is at least as low as this.
_LOW = -1e3


class Hidden(NamedTuple):
    """A place where elements are hidden: those at which the mask ``name`` is ``value`` (0 or 1)."""

    name: str
    value: int
    place: Fact


def hides_real_elements(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[Fact]:
    """The place where the network hides the elements that the delivered mask marks as real; None where it does not, or
    where the way of the mask through the code is not plain.

    Plain means: no mask is negated, compared or made anew between its delivery and the places that hide by it, and those
    places all hide for the same value.
    """
    if not pad.mask or sum(_MASKS.search(column.name or "") is not None for column in dataset.columns) > 1:
        return None  # of several masks it is not known which one comes to which place
    functions = [
        (file, node) for file in run_data.source.trees for node in run_data.source.nodes(file, ast.FunctionDef)
    ]
    found = [hidden for file, node in functions for hidden in _hidden(file, node)]
    if not found or len({(one.name, one.value) for one in found}) != 1:
        return None
    _, value, where = found[0]
    # what makes the mask before its delivery does not count
    using = [node for _, node in functions if node.name == "construct"] + [
        one.node for one in run_data.source.delivered_scopes()
    ]
    if any(_changes(node) for node in using):
        return None
    real = 0 if pad.mask.inverted else 1
    return where if value == real else None


def _hidden(file: str, function: ast.FunctionDef) -> Iterator[Hidden]:
    for node in ast.walk(function):
        condition = _condition(node)
        meant = _meaning(condition) if condition is not None else None
        if meant is not None and isinstance(node, ast.expr) and _MASKS.search(meant[0]):
            yield Hidden(meant[0], meant[1], place(file, node.lineno))


def _condition(node: ast.AST) -> Optional[ast.AST]:
    """What decides where a node hides elements: of ``x.masked_fill(here, -1e9)`` and ``here * -1e9``."""
    if isinstance(node, ast.Call) and called_name(node) == "masked_fill":
        bound = isinstance(node.func, ast.Attribute) and _root(node.func.value) not in _MODULES
        given = node.args if bound else node.args[1:]
        return given[0] if len(given) >= 2 and _is_low(given[1]) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        if _is_low(node.left):
            return node.right
        return node.left if _is_low(node.right) else None
    return None


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_low(node: Optional[ast.AST]) -> bool:
    text = ast.unparse(node) if node is not None else ""
    if re.fullmatch(r"(float\('-inf'\)|-(np|numpy|math|mnp|ops)\.inf|-float\('inf'\))", text):
        return True
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return False
    return isinstance(value, (int, float)) and value <= _LOW


def _meaning(node: ast.AST) -> Optional[tuple]:
    """(name, value) of an expression that is true (or 1) where the name has that value; None: something else."""
    if isinstance(node, ast.Name):
        return node.id, 1
    if isinstance(node, ast.Subscript):
        return _meaning(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Invert, ast.Not)):
        return _negated(_meaning(node.operand))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _number(node.left) == 1:
        return _negated(_meaning(node.right))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(_meaning(node.left), node.ops[0], _number(node.comparators[0]))
    if isinstance(node, ast.Call):
        return _called(node)
    return None


def _operand(node: ast.Call) -> Optional[ast.expr]:
    """What a function works on: the object of a method, the first argument of any other."""
    if isinstance(node.func, ast.Attribute) and _root(node.func.value) not in _MODULES:
        return node.func.value
    return node.args[0] if node.args else None


def _called(node: ast.Call) -> Optional[tuple]:
    name = called_name(node)
    inner = _operand(node)
    if inner is None:
        return None
    if name == "logical_not":
        return _negated(_meaning(inner))
    others = [argument for argument in node.args if argument is not inner]
    if name in ("equal", "eq") and others:
        return _compared(_meaning(inner), ast.Eq(), _number(others[0]))
    return _meaning(inner) if name in _SHAPES else None


def _negated(meant: Optional[tuple]) -> Optional[tuple]:
    return (meant[0], 1 - meant[1]) if meant is not None else None


def _number(node: ast.AST) -> Optional[float]:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (int, float)) else None


def _compared(meant: Optional[tuple], operator: ast.cmpop, number: Optional[float]) -> Optional[tuple]:
    """Of a mask of zeros and ones: which of the two the comparison picks."""
    if meant is None or number is None:
        return None
    tests = {
        ast.Eq: lambda v: v == number,
        ast.NotEq: lambda v: v != number,
        ast.Gt: lambda v: v > number,
        ast.Lt: lambda v: v < number,
        ast.GtE: lambda v: v >= number,
        ast.LtE: lambda v: v <= number,
    }
    test = tests.get(type(operator))
    if test is None or test(0) == test(1):
        return None
    return meant if test(1) else _negated(meant)


def _changes(function: ast.AST) -> bool:
    """Whether the function negates a mask, compares it, or makes one, but where it hides elements by it."""
    inside = {
        id(part) for node in ast.walk(function) if (one := _condition(node)) is not None for part in ast.walk(one)
    }
    hiding = {id(node) for node in ast.walk(function) if _condition(node) is not None}
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and _root(node) == "self" and _MASKS.search(node.attr):
            return True
        if id(node) in inside:
            continue
        if isinstance(node, (ast.Assign, ast.AugAssign)) and _makes_a_mask(node, hiding):
            return True
        if isinstance(node, (ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call)) and _turns(node):
            return True
    return False


def _makes_a_mask(node: Union[ast.Assign, ast.AugAssign], hiding: set) -> bool:
    """``mask = ...`` from anything but a mask as it is; what is added to scores is none."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if not any(_MASKS.search(name) for name in bound_names(targets)) or any(
        id(part) in hiding for part in ast.walk(node.value)
    ):
        return False
    meant = _meaning(node.value)
    return meant is None or meant[1] == 0 or _MASKS.search(meant[0]) is None


def _turns(node: Union[ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call]) -> bool:
    """``~mask``, ``1 - mask``, ``mask == 0``, ``ops.logical_not(mask)``: whatever the outcome is used for."""
    if isinstance(node, ast.UnaryOp):
        operand = node.operand if isinstance(node.op, (ast.Invert, ast.Not)) else None
    elif isinstance(node, ast.BinOp):
        operand = node.right if isinstance(node.op, ast.Sub) and _number(node.left) == 1 else None
    elif isinstance(node, ast.Compare):
        operand = node.left
    else:
        turning = called_name(node) in ("logical_not", "equal", "eq", "not_equal", "ne")
        operand = _operand(node) if turning else None
    meant = _meaning(operand) if operand is not None else None
    return meant is not None and _MASKS.search(meant[0]) is not None
