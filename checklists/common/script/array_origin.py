"""Where the arrays of a data set got their values: from the call that takes them back through the assignments before."""

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from msprec.checklists.common.findings import callers_of, each_place_once, first_place, plain_arrays, train_sets
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import (
    argument_names,
    assigned_parts,
    assignments,
    bound_names,
    called_name,
    own_nodes,
    root_name,
)

_MOST, _DEEPEST, _OUTSIDE = 5, 6, 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Calls that give the parts of an array, its first argument.
_PARTS = ("split", "array_split", "vsplit")
#: Calls whose rows are vectors of a single one: what takes them is the class.
_UNIT_ROWS = {"eye", "identity"}
#: What `_given_to` looks at.
_GIVES = {ast.Call, ast.Assign, ast.AugAssign, ast.AnnAssign}


def input_origins(run_data: RunData, position: int) -> list:
    """Where the array of the training step's input of that number got its values, then the data set that holds it."""
    for dataset in train_sets(run_data):
        if len(dataset.columns) > position:
            origins = array_origins(run_data, dataset, dataset.columns[position])
            return [one for one in (*origins, first_place(dataset)) if one]
    return []


def array_origins(run_data: RunData, dataset: Fact, column: Fact) -> list:
    """The assignments that gave the array behind a column its values, the last first; empty where they were not found.

    Args:
        run_data: The run.
        dataset: One of its data sets, made of arrays, of a source object, or taken from the arguments of the training step.
        column: One of its columns.
    """
    begin = first_place(dataset)
    if begin is None or begin.file not in run_data.source.trees or not begin.line:
        return []
    index = next((number for number, one in enumerate(dataset.columns) if one.name == column.name), 0)
    given = _given(_calls_at(run_data, begin), index, column.name or "", plain_arrays(dataset))
    return [] if given is None else _origins(run_data, begin, given, index, callers_of(dataset))


def label_origins(run_data: RunData) -> list:
    """Where the last column of the training's data sets, that of the targets, got its values."""
    return [
        at for data in train_sets(run_data) if data.columns for at in array_origins(run_data, data, data.columns[-1])
    ]


def argument_origins(run_data: RunData, call: Fact, position: int, callers: Sequence = (), network: str = "") -> list:
    """The assignments that gave an argument of a call its values, the last first; empty where they were not found.

    Args:
        run_data: The run.
        call: The place of the call.
        position: Which of its arguments.
        callers: The calls of the function around it that are followed, that of the function itself first.
        network: The class of what is called, where the line may call something else as well.
    """
    if call is None or call.file not in run_data.source.trees or not call.line:
        return []
    own = _calls_of(run_data, call, network) if network else []
    given = next((one.args[position] for one in own if len(one.args) > position), None)
    given = given or _given(_calls_at(run_data, call), position, "", True)
    return [] if given is None else _origins(run_data, call, given, position, callers)


def row_origins(run_data: RunData, places: list) -> list:
    """Where the numbers come from by which rows are taken at some places: ``keep`` of ``y[keep]``, and what that is a part of."""
    source = run_data.source
    named = [
        (at.file, node.slice.id)
        for at in places
        for node in source.nodes(at.file or "", ast.Subscript)
        if node.lineno == at.line and isinstance(node.slice, ast.Name)
    ]
    found: list = []
    for file, name in named:
        value = source.only_value(file, name)
        whole = root_name(value) if isinstance(value, ast.Subscript) else ""
        made = [value, source.only_value(file, whole) if whole else None]
        found += [place(file, one.lineno) for one in made if one is not None]
    return each_place_once(found)


def _origins(run_data: RunData, begin: Fact, given: ast.expr, index: int, callers: Sequence = ()) -> list:
    scopes = _scopes(run_data, begin)
    lines: list = []
    source, before = _source_object(scopes, given, begin.line)
    held = _held(run_data, begin.file, source, index)
    if held is None and isinstance(source, (ast.Tuple, ast.List)) and index < len(source.elts):
        held = source.elts[index]
    followed = list(_followed(scopes, held or given, before if held is not None else begin.line, 0))
    made_here = held is not None and not isinstance(held, ast.Name)  # cut or scaled where the source object is made
    for line in (*_in_source(run_data, begin.file, source, index), *([before] if made_here else []), *followed):
        if line not in lines and line != begin.line:
            lines.append(line)
    found = [place(begin.file, line) for line in lines]
    handed = _handed_in(run_data, begin, held or given, callers)
    return [*found[: _MOST // 2], *handed, *found[_MOST // 2 :]][:_MOST]


def _scopes(run_data: RunData, where: Fact) -> list:
    """The functions around a line, the innermost first, and the module."""
    around = [one for one in run_data.source.enclosing(where.file, where.line) if isinstance(one, _FUNCTIONS)]
    return [*reversed(around), run_data.source.trees[where.file]]


def _handed_in(run_data: RunData, where: Fact, node: ast.expr, callers: Sequence) -> list:
    """Of a value that a function was given: its calls, and the assignments before them that the argument comes from.

    Args:
        run_data: The run.
        where: A line of the function.
        node: The value there.
        callers: The places of the calls, that of the function itself first.
    """
    if not callers:
        return []
    function, caller = _scopes(run_data, where)[0], callers[0]
    if caller.file not in run_data.source.trees or not isinstance(function, _FUNCTIONS):
        return []
    called = run_data.source.called_by_name(where.file, function)
    call = next((one for one in _calls_at(run_data, caller) if called_name(one) == called), None)
    names = argument_names(function)
    if call is None:
        return []
    found: list = []
    for name in _behind(function, node, where.line):
        given = argument_of(call, name, names.index(name)) if name in names else None
        if given is not None:
            outer = _scopes(run_data, caller)
            found += [place(caller.file, line) for line in (caller.line, *_followed(outer, given, caller.line, 0))]
            found += _handed_in(run_data, caller, given, callers[1:])
    return each_place_once(found)


def _behind(function: ast.AST, node: ast.expr, before: int, depth: int = 0) -> list:
    """The names that a value in a function comes from and that nothing in it assigned before."""
    found: list = []
    for name in _arrays(node):
        made = _assigned(function, name, before)
        if made is None:
            found.append(name)
        elif depth < _DEEPEST:
            found += _behind(function, made[1], made[0], depth + 1)
    return list(dict.fromkeys(found))


def argument_of(call: ast.Call, name: str, position: int) -> Optional[ast.expr]:
    """What a call gives a parameter of this name and position; None: nothing."""
    named = next((one.value for one in call.keywords if one.arg == name), None)
    return call.args[position] if named is None and position < len(call.args) else named


def _calls_at(run_data: RunData, where: Fact) -> list:
    """The calls that a line belongs to."""
    calls = run_data.source.nodes(where.file, ast.Call)
    return [one for one in calls if one.lineno <= (where.line or 0) <= (one.end_lineno or one.lineno)]


def _given(calls: list, index: int, name: str, plain: bool) -> Optional[ast.expr]:
    """The argument of the outermost of a line's calls that holds the column."""
    if plain:
        calls = [one for one in calls if len(one.args) > index and not _of_result(one)]
        call = next((one for one in calls if any(map(_is_tensor, one.args))), next(iter(calls), None))
        return call.args[index] if call is not None else None
    for call in calls:
        if "Dataset" not in called_name(call):
            continue
        data = (
            call.args[0]
            if call.args
            else next((one.value for one in call.keywords if one.arg in ("data", "source")), None)
        )
        if isinstance(data, (ast.Tuple, ast.List)) and index < len(data.elts):
            return data.elts[index]
        if isinstance(data, ast.Dict):
            keys = [getattr(key, "value", None) for key in data.keys]
            return data.values[keys.index(name)] if name in keys else data
        return data
    return None


def _calls_of(run_data: RunData, call: Fact, network: str) -> list:
    """Of the calls that a line belongs to those of what is made of a network's class."""
    stores = run_data.source.nodes(call.file, ast.Assign)
    made = [one for one in stores if isinstance(one.value, ast.Call) and called_name(one.value) == network]
    names = {name for one in made for name in bound_names(one.targets)}
    return [one for one in _calls_at(run_data, call) if called_name(one) in names]


def _is_tensor(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called_name(node) == "Tensor"


def _of_result(call: ast.Call) -> bool:
    """Whether a method of what another call gave is called: ``net(x).astype(int)``."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    return held is not None and any(isinstance(one, ast.Call) and one.args for one in ast.walk(held))


def _source_object(scopes: list, given: ast.expr, before: int) -> tuple:
    """The expression that makes the source object, behind a name that it was given, and its line."""
    if isinstance(given, ast.Name):
        found = next((one for one in (_assigned(scope, given.id, before) for scope in scopes) if one is not None), None)
        if found is not None:
            return found[1], found[0]
    return given, before


def _held(run_data: RunData, file: str, made: ast.expr, index: int) -> Optional[ast.expr]:
    """The argument of a source object's call that its ``__getitem__`` hands the column out of; None where that is not plain."""
    name = called_name(made) if isinstance(made, ast.Call) else None
    classes = [one for one in run_data.source.nodes(file, ast.ClassDef) if one.name == name]
    methods = {one.name: one for found in classes for one in found.body if isinstance(one, _FUNCTIONS)}
    if not isinstance(made, ast.Call) or not {"__init__", "__getitem__"} <= set(methods):
        return None
    attributes = _attributes_of(methods["__getitem__"], index)
    names = argument_names(methods["__init__"])
    values = [
        value
        for _, held, value, _ in assignments(own_nodes(methods["__init__"]))
        if isinstance(held, ast.Attribute) and {held.attr} == attributes
    ]
    used = {one.id for value in values for one in ast.walk(value) if isinstance(one, ast.Name) and one.id in names}
    if len(used) != 1:
        return None
    place = names.index(next(iter(used)))
    named = next((one.value for one in made.keywords if one.arg in used), None)
    return made.args[place] if place < len(made.args) else named


def _in_source(run_data: RunData, file: str, made: ast.expr, index: int) -> Iterator[int]:
    """The lines in a source object's ``__getitem__`` or a generator function that make the column, and those that give its
    attributes there their values."""
    name = called_name(made) if isinstance(made, ast.Call) else getattr(made, "id", None)
    for one in run_data.source.nodes(file, ast.ClassDef, *_FUNCTIONS):
        if one.name != name:
            continue
        bodies = [
            body
            for body in (one.body if isinstance(one, ast.ClassDef) else [one])
            if isinstance(body, _FUNCTIONS) and (body is one or body.name in ("__getitem__", "__next__", "__iter__"))
        ]
        for body in bodies:
            yield from _handed_out(body, index)
            yield from _given_attributes(one, body, index)
            yield from _from_outside(run_data, file, body, index)


def _from_outside(run_data: RunData, file: str, generator: ast.AST, index: int) -> Iterator[int]:
    """The lines that gave what a generator function takes from around it, its arguments left out, their values."""
    around = [one for one in run_data.source.nodes(file, *_FUNCTIONS) if one is not generator]
    inside = (one for one in reversed(around) if any(inner is generator for inner in ast.walk(one)))
    scopes = [*inside, run_data.source.trees[file]]
    for value in _returned(generator, index):
        for name in _behind(generator, value, value.lineno + 1):
            if name not in argument_names(generator):
                yield from list(_followed(scopes, ast.Name(name, ast.Load()), 1 << 30, 0))[:_OUTSIDE]


def _given_attributes(made: ast.AST, body: ast.AST, index: int) -> list:
    """The lines that compute the attributes of ``self`` which the column is handed out of; not those that keep a value as it
    is."""
    names = _attributes_of(body, index)
    given = [
        (node.lineno, value)
        for node, part, value, _ in assignments(ast.walk(made) if names else ())
        if isinstance(part, ast.Attribute) and part.attr in names and root_name(part) == "self"
        if not isinstance(value, ast.Name)
    ][:2]
    called = [
        called_name(value) for _, value in given if isinstance(value, ast.Call) and root_name(value.func) == "self"
    ]
    methods = [one for one in getattr(made, "body", []) if isinstance(one, _FUNCTIONS) and one.name in called]
    return [*(line for line, _ in given), *(line for one in methods for line in list(_handed_out(one, index))[:1])]


def _attributes_of(body: ast.AST, index: int) -> set:
    """The attributes of ``self`` in what a function returns or yields as the column."""
    return {
        one.attr
        for value in _returned(body, index)
        for one in ast.walk(value)
        if isinstance(one, ast.Attribute) and root_name(one) == "self"
    }


def _handed_out(body: ast.AST, index: int) -> Iterator[int]:
    for value in _returned(body, index):
        yield from list(_followed([body], value, value.lineno + 1, _DEEPEST - 1))[:2] or [value.lineno]


def _returned(body: ast.AST, index: int) -> Iterator[ast.expr]:
    """What a function returns or yields, of a tuple the part at the index."""
    for node in ast.walk(body):
        if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else []
            yield parts[index] if index < len(parts) else node.value


def _followed(scopes: list, node: ast.AST, before: int, depth: int) -> Iterator[int]:
    """The lines of the assignments that a value comes from, nearest first."""
    if depth > _DEEPEST:
        return
    for name in _arrays(node):
        for number, scope in enumerate(scopes):
            found = _assigned(scope, name, before if number == 0 else 1 << 30)
            if found is not None:
                line, value, index = found
                yield line
                yield from _in_functions(scopes[-1], value, index)
                yield from _followed(scopes[number:], _split_array(value, index), line, depth + 1)
                break
        else:
            yield from _delivered(scopes, name, before, depth)


def _split_array(value: ast.expr, index: Optional[int]) -> ast.expr:
    """Of ``train_test_split(x, y)`` the array whose part a result is, by its position; else the value as it is."""
    if not isinstance(value, ast.Call) or called_name(value) != "train_test_split" or index is None:
        return value
    return value.args[index // 2] if index // 2 < len(value.args) else value


def _delivered(scopes: list, name: str, before: int, depth: int) -> Iterator[int]:
    """The lines that make what a loop over a generator of the script's gives a name, as ``for x, y in data.batches(32)`` does, or
    over the parts of an array, as ``for part in np.split(x, 40)``."""
    loops = [one for scope in scopes for one in own_nodes(scope) if isinstance(one, ast.For) and one.lineno < before]
    for loop in loops:
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        held = [n for n, one in enumerate(targets) if isinstance(one, ast.Name) and one.id == name]
        if not held or not isinstance(loop.iter, ast.Call):
            continue
        generator = _function_named(scopes[-1], called_name(loop.iter))
        if generator is not None:
            owner, body = generator
            yield from _handed_out(body, held[0]) if owner is None else _given_attributes(owner, body, held[0])
            yield from _from_arguments(scopes, loop.iter, body, held[0], depth)
            return
        if called_name(loop.iter) in _PARTS and loop.iter.args:
            yield from _followed(scopes, loop.iter.args[0], loop.lineno, depth + 1)
            return


def _function_named(module: ast.AST, name: str) -> Optional[tuple]:
    """``(class, function)`` of the first function or method of a name, the class None of no method; None where there is none."""
    for made in ast.walk(module):
        owner = made if isinstance(made, ast.ClassDef) else None
        for one in owner.body if owner is not None else [made]:
            if isinstance(one, _FUNCTIONS) and one.name == name:
                return owner, one
    return None


def _from_arguments(scopes: list, call: ast.Call, body: ast.AST, index: int, depth: int) -> Iterator[int]:
    """The lines that gave the arguments of a call from which a function returns the value at an index their values."""
    names = argument_names(body)
    for value in _returned(body, index):
        for name in (one for one in _behind(body, value, value.lineno + 1) if one in names):
            given = argument_of(call, name, names.index(name))
            if given is not None:
                yield from _followed(scopes, given, call.lineno, depth + 1)


def _in_functions(module: ast.AST, value: ast.expr, index: int) -> Iterator[int]:
    """The lines in a function of the script's that make what a call of it gives."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return
    for one in getattr(module, "body", []):
        if isinstance(one, _FUNCTIONS) and one.name == value.func.id:
            yield from _handed_out(one, index)


def _arrays(node: ast.AST) -> Iterator[str]:
    """Names whose values go into an expression, without the functions and the indices (but of ``eye(n)``)."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call) and called_name(node.value) in _UNIT_ROWS:
        yield from _arrays(node.slice)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield from _arrays(node.func.value)
        for one in node.args:
            yield from _arrays(one)
    elif isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        yield from _arrays(node.value)
    elif not isinstance(node, (ast.Lambda, ast.comprehension)):
        for child in ast.iter_child_nodes(node):
            yield from _arrays(child)


def _assigned(scope: ast.AST, name: str, before: int) -> Optional[tuple]:
    """``(line, value, index)`` of the last assignment of a name in a scope before a line, or of what was appended to it; the
    index is its place in a tuple of names."""
    found = None
    for node in own_nodes(scope):
        given = _given_to(node, name) if node.__class__ in _GIVES else None
        if given is not None and given[0] < before and (found is None or given[0] >= found[0]):
            found = given
    return found


def _given_to(node: ast.AST, name: str) -> Optional[tuple]:
    """``(line, value, index)`` of what an assignment, or a call of ``append`` or ``extend``, gives a name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "extend"):
        return (node.lineno, node.args[0], 0) if node.args and _holds(node.func.value, name) else None
    if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.value is None:
        return None
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = [(*part, n) for target in targets for n, part in enumerate(assigned_parts(target, node.value))]
    return next(((node.lineno, value, n) for target, value, _, n in parts if _holds(target, name)), None)


def _holds(target: ast.AST, name: str) -> bool:
    """Whether an assignment writes to a name, or to some of its elements."""
    held = target.value if isinstance(target, ast.Subscript) else target
    return isinstance(held, ast.Name) and held.id == name
