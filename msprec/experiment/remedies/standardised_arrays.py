"""Standardising the array that a data set was made of, where the script cuts training and test data from it.

A data set's own ``map`` does not reach data that an evaluation hands to the network as an array.
"""

from typing import Optional

import libcst as cst

from msprec.experiment.source_edit import NoPlace, SourceFile, argument, last_name

#: Calls that give the array they are called with, in another type or place.
_SAME = frozenset(("astype", "asarray", "array", "ascontiguousarray", "copy", "float32", "float64"))
#: A function that cuts each of its arguments in two, in scikit-learn.
_SPLIT = "train_test_split"


def put_in(file: SourceFile, line: int, position: int, column: str, statistics: tuple) -> None:
    """Asks for ``X = ((X - mean) / std).astype("float32")`` in front of the statement that first cuts ``X``.

    Args:
        file: The file.
        line: Where the data set is made.
        position: The column's position in it.
        column: Its name.
        statistics: Mean and standard deviation: numbers, or lists of one a feature.

    Raises:
        NoPlace: The data set is made of no array by name, or of one that nothing else is cut from.
    """
    call = file.call_at(line, "NumpySlicesDataset")
    given = argument(call, "data", 0)
    element = _element(given.value, position, column) if given is not None else None
    if element is None:
        raise NoPlace(f"the data set at {file.path.name}:{line} is not made of arrays by name")
    name, where = _root(file, element, call)
    if name is None:
        raise NoPlace(f"nothing else is cut from the array of {column}")
    if not _is_made_there(file, name, where):
        raise NoPlace(f"{name} is made elsewhere than where it is cut")
    mean, std = statistics
    file.put_above(where, f'{name} = (({name} - {mean!r}) / {std!r}).astype("float32")')


def _element(value: cst.BaseExpression, position: int, column: str) -> Optional[cst.BaseExpression]:
    if isinstance(value, (cst.Tuple, cst.List)):
        return value.elements[position].value if 0 <= position < len(value.elements) else None
    if isinstance(value, cst.Dict):
        named = [one for one in value.elements if isinstance(one, cst.DictElement)]
        return next((one.value for one in named if _text(one.key) == column), None)
    return value if position == 0 else None


def _text(key: cst.BaseExpression) -> Optional[str]:
    return key.evaluated_value if isinstance(key, cst.SimpleString) else None


def _root(file: SourceFile, value: cst.BaseExpression, where: cst.CSTNode) -> tuple:
    """``(name, statement)``: the array that this one was cut from, by name, and where; ``(None, None)`` without a cut."""
    found, value = (None, None), _plain(value)
    while value is not None:
        if isinstance(value, cst.Subscript):
            value = _plain(value.value)
            found = (value.value, where) if isinstance(value, cst.Name) else (None, None)
        if not isinstance(value, cst.Name):
            break
        assigned = _assignment(file, value.value, where)
        if assigned is None:
            break
        where, target, given = assigned
        value = _given(target, given, value.value)
        if value is None:
            break
        if isinstance(given, cst.Call) and last_name(given.func) == _SPLIT:
            value = _plain(value)
            found = (value.value, where) if isinstance(value, cst.Name) else (None, None)
        value = _plain(value)
    return found


def _plain(value: cst.BaseExpression) -> cst.BaseExpression:
    """The array that a change of type was asked for."""
    while isinstance(value, cst.Call) and last_name(value.func) in _SAME:
        method = isinstance(value.func, cst.Attribute) and last_name(value.func) in ("astype", "copy")
        if method:
            value = value.func.value
        elif value.args:
            value = value.args[0].value
        else:
            break
    return value


def _assignment(file: SourceFile, name: str, before: cst.CSTNode) -> Optional[tuple]:
    """``(statement, target, value)`` of the last assignment to a name in front of a statement, in the same function and the same
    loops."""
    around = _around(file, before)
    found = None
    for node in file.nodes(cst.Assign):
        if file.start(node) >= file.start(before) or len(node.targets) != 1 or _around(file, node) != around:
            continue
        target = node.targets[0].target
        if any(isinstance(one, cst.Name) and one.value == name for one in file.nodes(cst.Name, target)):
            found = node, target, node.value
    return found


def _is_made_there(file: SourceFile, name: str, where: cst.CSTNode) -> bool:
    """Whether the array belongs to the function and the loop in which it is cut: it would be standardised at each turn of a loop
    around it, and in a function a name of the module cannot be assigned."""
    around = _around(file, where)
    if not around or _assignment(file, name, where) is not None:
        return True
    function = around[0]
    return isinstance(function, cst.FunctionDef) and any(one.name.value == name for one in function.params.params)


def _around(file: SourceFile, node: cst.CSTNode) -> tuple:
    kinds = (cst.FunctionDef, cst.For, cst.While, cst.If)
    found, node = [], file.parent(node, kinds)
    while node is not None:
        found.append(node)
        node = file.parent(file.holder(node), kinds)
    return tuple(found)


def _given(
    target: cst.BaseAssignTargetExpression, value: cst.BaseExpression, name: str
) -> Optional[cst.BaseExpression]:
    """What a name is assigned: the value, the element of a tuple at its place, or the argument that a split cuts it from."""
    if isinstance(target, cst.Name):
        return value
    if not isinstance(target, (cst.Tuple, cst.List)):
        return None
    names = [one.value.value if isinstance(one.value, cst.Name) else None for one in target.elements]
    if name not in names:
        return None
    at = names.index(name)
    if isinstance(value, (cst.Tuple, cst.List)):
        return value.elements[at].value if len(value.elements) == len(names) else None
    if isinstance(value, cst.Call) and last_name(value.func) == _SPLIT:
        plain = [one.value for one in value.args if one.keyword is None]
        return plain[at // 2] if 2 * len(plain) == len(names) else None
    return None
