"""Where the value of a setting is written: from the argument of a call back to the line with the number (hp.01, hp.02, hp.03)."""

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple, Optional, Union

from msprec.checklists.common.findings import each_place_once
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import assigned_parts, bound_names, called_name, own_nodes, plain_number, root_name

_DEEPEST = 6
_PLAIN = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.List, ast.Tuple)
#: Calls that keep their keywords as settings.
_SETTINGS = ("SimpleNamespace", "Namespace", "EasyDict", "edict", "dict", "ConfigDict", "Config")
#: Calls that make a schedule of learning rates, which is written where they stand.
SCHEDULE = re.compile(r"(LR|_lr|Schedule|Scheduler)$")
#: Names of the module whose functions make lists of rates.
_NUMPY = ("np", "numpy")
#: Calls that hand their first argument on, and initializers whose first argument is how wide they draw, or what they fill with.
_HANDS_ON = ("float", "int", "Tensor", "tensor", "max", "min", "Normal", "TruncatedNormal", "Uniform", "Constant")


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LISTS = (ast.ListComp, ast.GeneratorExp)


class ArgumentName(NamedTuple):
    """An argument of a call: by which names, or at which position."""

    names: tuple
    position: int


RATE = ArgumentName(("learning_rate", "lr"), 1)
MOMENTUM = ArgumentName(("momentum",), 2)
DECAY = ArgumentName(("weight_decay",), 99)  # by its name alone: optimizers differ in its position
BATCH = ArgumentName(("batch_size",), 0)
CLIPPING = ArgumentName(("clip_norm", "max_norm", "clip_value", "clip_value_max"), 1)
UNITS = ArgumentName(("out_channels",), 1)
LENGTH = ArgumentName(("decay_steps", "total_step", "total_steps", "T_max", "decay_epoch"), 2)
MILESTONES = ArgumentName(("milestone", "milestones"), 0)
EPOCHS = ArgumentName(("epoch", "epochs"), 0)
WEIGHT_INIT = ArgumentName(("weight_init", "embedding_table"), 99)  # by name alone, as layers differ in its position


class _Asked(NamedTuple):
    """What a search goes through, and the value that the run had, which tells several ways apart; None where it is not known."""

    run_data: RunData
    value: Optional[float] = None

    def chosen(self, found: list) -> Optional[tuple]:
        """The one ``(file, expression)`` of several, or the first of those that give the value of the run, or the only one of
        which it is not known."""
        if len(found) == 1 or self._one_way(found):
            return found[0]
        if self.value is None:
            return None
        values = [(one, self._value(*one)) for one in found]
        told = [one for one, value in values if value == self.value]
        unknown = [one for one, value in values if value is None]
        return told[0] if told else unknown[0] if len(unknown) == 1 else None

    def _one_way(self, found: list) -> bool:
        """Whether one function gives the same name several times, as to layers in a row."""
        source = self.run_data.source
        ways = {
            (
                file,
                ast.unparse(node),
                *(id(one) for one in source.enclosing(file, node.lineno) if isinstance(one, _SCOPES)),
            )
            for file, node in found
        }
        return len(ways) == 1 and all(isinstance(node, (ast.Name, ast.Attribute)) for _, node in found)

    def _value(self, file: str, node: ast.expr) -> Optional[float]:
        """A number, or the one that the module gives to a name."""
        assigned = _assigned(self.run_data.source.trees[file], node.id) if isinstance(node, ast.Name) else [node]
        return _number(assigned[0]) if len(assigned) == 1 else None


def _number(node: ast.AST) -> Optional[float]:
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, (int, float)) else None


def argument_origin(
    run_data: RunData, call: Optional[Fact], wanted: ArgumentName, callee: str = "", value: Optional[float] = None
) -> list:
    """The place where the value of an argument is written, where that is another line than the call's, and, of what a function of
    the script's gives, where it returns that; else an empty list.

    Followed are names, parameters with their defaults and what callers give, options of a command line, fields of settings and
    keys of dictionaries, as long as there is one way only, or one that gives the ``value`` of the run.
    """
    if not call or not call.file or not call.line:
        return []
    tree = run_data.source.trees.get(call.file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and _spans(node, call.line) and (not callee or called_name(node) in (callee, "")):
            asked, given = _Asked(run_data, value), _given(node, wanted.names, wanted.position)
            if value is not None and given is not None and _number(given) not in (None, value):
                continue  # another call in the same line
            found = (
                _origin(asked, call.file, given, 0) if given is not None else _of_keywords(asked, node, wanted.names)
            )
            if found is None and given is not None and given.lineno != call.line:
                found = place(call.file, given.lineno)  # the argument stands in a line of its own
            if found is not None:
                places = [*_computed_at(asked, call.file, given), found]
                elsewhere = [one for one in places if (one.file, one.line) != (call.file, call.line)]
                return [*each_place_once(elsewhere), *_returned_by(run_data, found, given)]
    return []


def _computed_at(asked: _Asked, file: str, given: Optional[ast.expr]) -> list:
    """Where the one value of a name is computed from others with a number, as ``lr = 4e-3 / len(x)`` is, or with a constant."""
    if not isinstance(given, ast.Name):
        return []
    assigned = _assigned(asked.run_data.source.trees[file], given.id)
    for function in asked.run_data.source.enclosing(file, given.lineno):
        assigned = (_assigned(function, given.id) or assigned) if isinstance(function, ast.FunctionDef) else assigned
    value = assigned[0] if len(assigned) == 1 else None
    numbers = [one for one in ast.walk(value) if _is_constant(one)] if isinstance(value, ast.BinOp) else []
    return [place(file, value.lineno)] if value is not None and numbers else []


def _is_constant(node: ast.AST) -> bool:
    """Whether it is a number, or a name in capital letters."""
    return _number(node) is not None or (isinstance(node, ast.Name) and node.id.isupper())


def _returned_by(run_data: RunData, where: Fact, given: Optional[ast.expr]) -> list:
    """Where the one function of the script that is called for an argument, or in the assignment that it comes from, returns."""
    stores = run_data.source.nodes_at(where.file, where.line, ast.Assign)
    named = given.id if isinstance(given, ast.Name) else None
    for call in [given, *(one.value for one in stores if named in bound_names(one.targets))]:
        made = run_data.source.functions(called_name(call)) if isinstance(call, ast.Call) else []
        if len(made) == 1:
            file, function = made[0]
            returns = [one for one in own_nodes(function) if isinstance(one, ast.Return) and one.value is not None]
            return [place(file, returns[-1].lineno)] if returns else []
    return []


def epochs_origin(run_data: RunData, steps: Iterable = ()) -> list:
    """The place where the number of epochs is written: of the call of ``Model.train`` or ``fit`` that the training ``steps`` come
    from, or of the loop around the loop that makes them, else of the first such call or loop over epochs, in the files of the
    steps before all others."""
    steps = [one for one in steps if one.file]
    files = sorted(run_data.source.trees, key=lambda file: file not in [one.file for one in steps])
    nodes = [(file, node) for file in files for node in run_data.source.nodes(file, ast.Call, ast.For)]
    called = [
        (file, node)
        for file, node in nodes
        if any(one.file == file and _spans(node, one.line or 0) for one in steps) and isinstance(node, ast.Call)
    ]
    known = [one for one in called if _epochs_of(one[1]) is not None]
    ends = [(one.file, last_of_range(loop)) for one in steps for loop in _loops_of_loops(run_data, one)]
    around = [one for one in (_range_around(run_data, *call) for call in known) if one is not None]
    if around:
        ends, known = around, []
    for file, given in [*([] if known else ends), *((file, _epochs_of(node)) for file, node in known or nodes)]:
        found = _origin(_Asked(run_data), file, given, 0) if given is not None else None
        if found is not None:
            return [found]
    return []


def _range_around(run_data: RunData, file: str, call: ast.Call) -> Optional[tuple]:
    """``(file, the end of the range)`` of the innermost loop around a call that trains for one epoch; None of any other."""
    each = _epochs_of(call)
    if each is None or plain_number(each) != 1:
        return None
    loops = [one for one in run_data.source.enclosing(file, call.lineno) if isinstance(one, ast.For)]
    end = last_of_range(loops[-1]) if loops else None
    return (file, end) if end is not None else None


def count_origins(run_data: RunData, made: Iterable) -> list:
    """Where it is written how often something is made that stands in a loop, as layers are: the last of the loop's range, or what
    it runs over, for each of the places; none for what stands in no loop of its function."""
    found: list = []
    for one in each_place_once(made):
        if not one.file or not one.line or run_data.source.in_construct(one.file, one.line):
            continue
        around = run_data.source.enclosing(one.file, one.line)
        functions = [number for number, node in enumerate(around) if isinstance(node, _SCOPES)]
        loops = [node for node in around[functions[-1] + 1 if functions else 0 :] if isinstance(node, ast.For)]
        listed = [node.generators[0] for node in run_data.source.nodes(one.file, *_LISTS) if _spans(node, one.line)]
        for loop in [*loops, *listed][-1:]:
            origin = _origin(_Asked(run_data), one.file, last_of_range(loop) or loop.iter, 0)
            found += [origin] if origin is not None else []
    return each_place_once(found)


def _spans(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", None) or line)


def _loops_of_loops(run_data: RunData, step: Fact) -> list:
    """The loop over numbers around the loop that a training step is made in."""
    loops = [one for one in run_data.source.enclosing(step.file, step.line or 0) if isinstance(one, ast.For)]
    return [one for one in loops[:1] if len(loops) > 1 and last_of_range(one) is not None]


def last_of_range(loop: Union[ast.For, ast.comprehension]) -> Optional[ast.expr]:
    """``n`` of ``for … in range(n)``."""
    if not isinstance(loop.iter, ast.Call) or called_name(loop.iter) != "range":
        return None
    return loop.iter.args[1 if len(loop.iter.args) > 1 else 0] if loop.iter.args else None


def _epochs_of(node: ast.AST) -> Optional[ast.expr]:
    if isinstance(node, ast.Call) and called_name(node) in ("train", "fit") and isinstance(node.func, ast.Attribute):
        given = _given(node, EPOCHS.names, EPOCHS.position)
        return given if len(node.args) + len(node.keywords) >= 2 else None
    if not isinstance(node, ast.For):
        return None
    last = last_of_range(node)
    named = last is not None and "epoch" in f"{ast.unparse(node.target)} {ast.unparse(last)}".lower()
    return last if named else None


def _given(call: ast.Call, names: Iterable, position: int) -> Optional[ast.expr]:
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    plain = not any(isinstance(one, ast.Starred) for one in call.args)
    return call.args[position] if plain and len(call.args) > position else None


def _of_keywords(asked: _Asked, call: ast.Call, names: Iterable) -> Optional[Fact]:
    """Of an argument that is handed on by ``**settings``."""
    handed = any(keyword.arg is None for keyword in call.keywords)
    return next((found for name in names if (found := _of_field(asked, name, 1)) is not None), None) if handed else None


def _origin(asked: _Asked, file: str, node: ast.AST, depth: int) -> Optional[Fact]:
    if depth > _DEEPEST:
        return None
    if isinstance(node, _PLAIN):
        names = [one for one in ast.walk(node) if isinstance(one, (ast.Name, ast.Attribute))]
        return (_origin(asked, file, names[0], depth + 1) if names else None) or place(file, node.lineno)
    if isinstance(node, ast.Call) and called_name(node) in _HANDS_ON and node.args:
        return _origin(asked, file, node.args[0], depth + 1)
    if isinstance(node, ast.Call) and (SCHEDULE.search(called_name(node)) or _is_own(asked, called_name(node))):
        return place(file, node.lineno)
    if isinstance(node, ast.ListComp) or (isinstance(node, ast.Call) and root_name(node.func) in _NUMPY):
        return place(file, node.lineno)  # numbers that are computed one by one
    if isinstance(node, ast.expr) and _is_size(node):
        return place(file, node.lineno)
    if isinstance(node, ast.Name):
        return _of_name(asked, file, node, depth + 1)
    if isinstance(node, ast.Attribute):
        return _of_field(asked, node.attr, depth + 1)
    key = _key_of(node)
    if key:
        return _of_field(asked, key, depth + 1)
    return None


def _key_of(node: ast.AST) -> str:
    """``name`` of ``settings["name"]``; empty of anything else."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _is_size(node: ast.expr) -> bool:
    """Whether it is ``len(x)`` or ``x.shape[0]``."""
    shape = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return shape or (isinstance(node, ast.Call) and called_name(node) == "len")


def _is_own(asked: _Asked, name: str) -> bool:
    """Whether a function or class of the user's has the name: what it gives is decided where it is called."""
    return bool(asked.run_data.source.functions(name) or asked.run_data.source.classes(name))


def _of_name(asked: _Asked, file: str, node: ast.Name, depth: int) -> Optional[Fact]:
    """Of a name: assigned in the innermost function around, a parameter of it, or assigned in the module."""
    tree = asked.run_data.source.trees[file]
    functions = [one for one in asked.run_data.source.enclosing(file, node.lineno) if isinstance(one, ast.FunctionDef)]
    for function in reversed(functions):
        assigned = _assigned(function, node.id)
        if assigned:
            return _origin(asked, file, assigned[-1], depth) if len(assigned) == 1 else None
        looped = _looped_over(function, node.id)
        if looped is not None:
            return _origin(asked, file, looped, depth)
        if node.id in [one.arg for one in _parameters(function)]:
            return _of_parameter(asked, file, function, node.id, depth)
    assigned = _assigned(tree, node.id)
    looped = _looped_over(tree, node.id) if not assigned else None
    one = assigned[0] if len(assigned) == 1 else looped
    return _origin(asked, file, one, depth) if one is not None else None


def _looped_over(scope: ast.AST, name: str) -> Optional[ast.expr]:
    """The name of what a loop, or a comprehension, takes the values of a name from, as ``sizes`` of ``for a, b in
    zip(sizes[:-1], sizes[1:])``."""
    for node in own_nodes(scope):
        if isinstance(node, (ast.For, ast.comprehension)) and name in bound_names([node.target]):
            found = _iterated(node.target, node.iter, name)
            while isinstance(found, ast.Subscript) and not _key_of(found):
                found = found.value
            known = isinstance(found, (ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.Subscript))
            return found if known else None
    return None


def _iterated(target: ast.expr, values: ast.expr, name: str) -> Optional[ast.expr]:
    """What a name in the target of a loop goes through."""
    if isinstance(values, ast.Call) and called_name(values) == "enumerate" and values.args:
        inner = target.elts[1] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
        return _iterated(inner, values.args[0], name) if inner is not None and name in bound_names([inner]) else None
    if isinstance(values, ast.Call) and called_name(values) == "zip" and isinstance(target, ast.Tuple):
        pairs = zip(target.elts, values.args)
        return next((_iterated(one, value, name) for one, value in pairs if name in bound_names([one])), None)
    return values if isinstance(target, (ast.Name, ast.Tuple)) else None


def _parameters(function: ast.FunctionDef) -> list:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _of_parameter(asked: _Asked, file: str, function: ast.FunctionDef, name: str, depth: int) -> Optional[Fact]:
    positional = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    position = positional.index(name) - (positional[:1] == ["self"]) if name in positional else 999
    called, given = asked.run_data.source.called_by_name(file, function), []
    for other, call in asked.run_data.source.calls_anywhere((called,)):
        value = _given(call, (name,), position)
        given += [(other, value)] if value is not None else []
    one = asked.chosen(given)
    if one is not None:
        return _origin(asked, one[0], one[1], depth)
    defaults = dict(zip(reversed(positional), reversed(function.args.defaults)))
    defaults.update(
        (one.arg, value) for one, value in zip(function.args.kwonlyargs, function.args.kw_defaults) if value
    )
    return _origin(asked, file, defaults[name], depth) if not given and name in defaults else None


def _assigned(scope: ast.AST, name: str) -> list:
    """The values that a name is given in a function or module, not counting functions inside."""
    found: list = []
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign):
            found += [value for target in node.targets for value in _parts(target, node.value, name)]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            found += _parts(node.target, node.value, name)
    return found


def _parts(target: ast.expr, value: ast.expr, name: str) -> list:
    """The values that an assignment gives to a name by itself."""
    parts = assigned_parts(target, value)
    return [one for held, one, alone in parts if alone and isinstance(held, ast.Name) and held.id == name]


def _of_field(asked: _Asked, name: str, depth: int) -> Optional[Fact]:
    """Of ``args.name`` or ``config["name"]``: the one option, keyword, key, field or attribute of that name with a value."""
    found = [(file, value) for file, tree in asked.run_data.source.trees.items() for value in _fields(tree, name)]
    said = [
        word.split("=")[0].lstrip("-").replace("-", "_") for word in asked.run_data.run.command or [] if word[:1] == "-"
    ]
    if name in said:
        return None
    one = asked.chosen(found)
    return _origin(asked, one[0], one[1], depth) if one is not None else None


def _fields(tree: ast.AST, name: str) -> list:
    found: list = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found += _of_call(node, name)
        elif isinstance(node, ast.Dict):
            keys = [getattr(key, "value", None) for key in node.keys]
            found += [value for key, value in zip(keys, node.values) if key == name]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [node.value for target in targets if isinstance(target, ast.Attribute) and target.attr == name]
        elif isinstance(node, ast.ClassDef):
            found += [value for one in node.body for value in _class_field(one, name)]
    return found


def _of_call(call: ast.Call, name: str) -> list:
    if called_name(call) == "add_argument":
        said = [str(getattr(one, "value", "")) for one in call.args]
        flags = [one.lstrip("-").replace("-", "_") for one in said]
        return [one.value for one in call.keywords if one.arg == "default"] if name in flags else []
    settings = called_name(call) in _SETTINGS
    return [one.value for one in call.keywords if one.arg == name] if settings else []


def _class_field(node: ast.stmt, name: str) -> list:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return _parts(node.target, node.value, name)
    if isinstance(node, ast.Assign):
        return [value for target in node.targets for value in _parts(target, node.value, name)]
    return []
