"""Numbers that compiled code took from attributes and variables when it was compiled, and that the script changes later.

In graph mode and in functions compiled by ``jit`` a number of Python's is a constant of the compiled graph; another value that it
is given later changes nothing (tried with MindSpore 2.7.1 and 2.10 on a CPU: attributes of cells in graph mode, of methods and
constructs under ``jit``, and variables of the module).
"""

import ast
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.callback_methods import is_callback
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, own_attribute, own_nodes, reached_methods, target_names

_LOOPS = (ast.For, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What a function is called in which nothing is trained.
_WITHOUT_TRAINING = re.compile(r"(?i)generat|predict|infer|sample|decode|eval|valid")
#: What is called in a loop that trains.
_TRAINS = re.compile(r"(?i)train|step|grad|optim|(^|_)opt($|_)|loss|update")
#: What holds a value that compiled code reads anew.
_HOLDERS = ("Parameter", "Tensor", "tensor", "ParameterTuple", "Variable")
#: Calls in a loop by which the graph may be compiled again.
_COMPILES = ("train", "fit", "compile", "jit")


class FrozenNumber(NamedTuple):
    """An attribute or variable that compiled code reads: where, and where it is changed; ``updates``: that code writes into
    parameters."""

    name: str
    updates: bool
    read: Fact
    changed: Fact


def frozen_factor(run_data: RunData, of_updates: bool) -> Optional[Finding]:
    """A problem where such an attribute is changed in the course of training.

    Args:
        of_updates: Look at code that writes into parameters itself, as an optimizer of the script's own; False: at other code.
    """
    found = [one for one in run_data.once(frozen_numbers) if one.updates is of_updates]
    if not found:
        return None
    places = [at_place for one in found for at_place in (one.read, one.changed)]
    return problem(
        Text(
            "编译执行的代码读取 Python 变量 {name}（{read}），而脚本在训练中改变它（{changed}）：编译时的值已成为图中的常量，"
            "之后的改变没有任何作用。",
            "Compiled code reads Python's own {name} at {read}, and the script changes it while it trains, at {changed}: the "
            "value of the first call is a constant of the compiled graph, and the changes have no effect.",
            name=found[0].name,
            read=at(found[0].read),
            changed=at(found[0].changed),
        ),
        Text(
            "把它存为 Parameter（requires_grad=False）并用 ops.assign 或 set_data 改变，或者作为输入传给 construct。",
            "Keep it in a Parameter (requires_grad=False) that ops.assign or set_data changes, or hand it to construct as an "
            "input.",
        ),
        [run_data.code_at(places, Text("读取与改变之处", "Where it is read and changed"))],
        places,
    )


def frozen_numbers(run_data: RunData) -> list:
    """What compiled code of the script's reads as numbers and loops or callbacks change."""
    return [*_attributes(run_data), *_variables(run_data)]


def _variables(run_data: RunData) -> list:
    """The variables around functions under ``jit`` that a loop which calls them changes."""
    found = []
    for file in sorted(run_data.source.trees):
        for function in run_data.source.nodes(file, ast.FunctionDef):
            if not any("jit" in ast.unparse(one) for one in function.decorator_list):
                continue
            around = [one for one in run_data.source.enclosing(file, function.lineno) if one is not function]
            scope = next((one for one in reversed(around) if isinstance(one, _FUNCTIONS)), run_data.source.trees[file])
            updates = any("assign" in called_name(one) for one in _calls(function))
            for name, line in _free_numbers(function).items():
                changed = _changed_variable(scope, function.name, name)
                if changed is not None:
                    found.append(FrozenNumber(name, updates, place(file, line), place(file, changed)))
    return found


def _free_numbers(function: ast.FunctionDef) -> dict:
    """``{name: line}`` of the names that a function computes with and does not bind."""
    nodes = list(ast.walk(function))
    bound = {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
    bound |= {one.arg for one in nodes if isinstance(one, ast.arg)}
    parts = [part for one in nodes for part in _operands(one) if isinstance(part, ast.Name)]
    return {part.id: part.lineno for part in reversed(parts) if part.id not in bound}


def _operands(node: ast.AST) -> list:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if not isinstance(node, ast.Compare) or any(isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops):
        return []
    return [node.left, *node.comparators]


def _changed_variable(scope: ast.AST, function: str, name: str) -> Optional[int]:
    """The line of a loop that calls the function and gives the name, a number until then, another one."""
    nodes = own_nodes(scope)
    bound = [one for one in nodes if isinstance(one, ast.Assign) and name in bound_names(one.targets)]
    if not bound or not all(_is_number(one.value) for one in bound):
        return None
    for loop in [one for one in nodes if isinstance(one, _LOOPS)]:
        inside = list(ast.walk(loop))
        if function in {called_name(one) for one in inside if isinstance(one, ast.Call)}:
            stored = [(one.targets, one.lineno) for one in inside if isinstance(one, ast.Assign)]
            stored += [([one.target], one.lineno) for one in inside if isinstance(one, ast.AugAssign)]
            lines = [line for targets, line in stored if name in bound_names(targets)]
            if lines:
                return lines[0]
    return None


def _is_number(value: ast.expr) -> bool:
    """Numbers, and what arithmetic makes of them and of other names."""
    allowed = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context, ast.Call)
    named = {called_name(one) for one in _calls(value)}
    return all(isinstance(one, allowed) for one in ast.walk(value)) and named <= {"min", "max", "float", "int"}


def _attributes(run_data: RunData) -> list:
    """The attributes of the script's classes that compiled methods read as numbers and that loops or callbacks change."""
    graph = any(step.mode == "graph" for step in run_data.train_steps if step.count)
    used = _used_cells(run_data) if graph else []
    found = []
    for file in sorted(run_data.source.trees):
        for node in run_data.source.nodes(file, ast.ClassDef):
            methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
            compiled = _compiled(methods, _is_run(run_data, node, used))
            inner = _compiled_inside(methods) if "jit" in run_data.source.texts[file] else {}
            code = {**methods, **inner}
            for name, line in _read_as_numbers(code, [*compiled, *inner]).items():
                changed = _changed(run_data, node, set(methods) - set(compiled), name)
                if changed is not None:
                    makes = any("assign" in called_name(one) for m in (*compiled, *inner) for one in _calls(code[m]))
                    found.append(FrozenNumber(name, makes, place(file, line), changed))
    return found


def _used_cells(run_data: RunData) -> list:
    """The script's classes of cells that the run was seen to use."""
    cells = [cell.class_ for network in run_data.networks for cell in network.cells]
    others = [one.class_ for one in (*run_data.networks, *run_data.train_steps, *run_data.losses)]
    return [node for name in {*cells, *others} if name for _, node in run_data.source.classes(name)]


def _is_run(run_data: RunData, node: ast.ClassDef, used: list) -> bool:
    """Whether the class, or one that comes from it, is one of the used cells, and it does not call its own ``construct`` as a
    plain function, as a schedule may."""
    related = any(run_data.source.related(node, other) for other in used)
    return related and not any(own_attribute(one.func) == "construct" for one in _calls(node))


def _compiled(methods: dict, graph: bool) -> list:
    """The methods that are compiled, and those that they call."""
    marked = [name for name, one in methods.items() if any("jit" in ast.unparse(d) for d in one.decorator_list)]
    return reached_methods(methods, [*marked, *(["construct"] if graph else [])])


def _compiled_inside(methods: dict) -> dict:
    """The functions inside methods that hold one under ``jit``, by the method's name and theirs: what it differentiates is
    compiled with it."""
    found = {}
    for name, method in methods.items():
        inner = [one for one in ast.walk(method) if isinstance(one, ast.FunctionDef) and one is not method]
        if any("jit" in ast.unparse(mark) for one in inner for mark in one.decorator_list):
            found.update({f"{name}.{one.name}": one for one in inner})
    return found


def _calls(node: ast.AST) -> list:
    return [one for one in ast.walk(node) if isinstance(one, ast.Call)]


def _read_as_numbers(methods: dict, compiled: list) -> dict:
    """``{attribute: line}`` of the attributes that compiled methods compute with, and that ``__init__`` binds to no holder."""
    if not compiled:
        return {}
    begun = methods.get("__init__")
    bound = {
        own_attribute(target): one.value
        for one in (ast.walk(begun) if begun is not None else ())
        if isinstance(one, ast.Assign)
        for target in one.targets
        if own_attribute(target)
    }
    found: dict = {}
    for name in compiled:
        for one in ast.walk(methods[name]):
            for part in _operands(one):
                name_read = own_attribute(part)
                if name_read in bound and not _holds(bound[name_read]):
                    found.setdefault(name_read, part.lineno)
    return found


def _holds(value: ast.expr) -> bool:
    """Whether a value is, or may be, one that compiled code reads anew, a cell, or none yet, as a cache that begins empty."""
    if isinstance(value, ast.Constant) and value.value is None:
        return True
    names = [called_name(one) for one in _calls(value)]
    return any(name in _HOLDERS or name[:1].isupper() for name in names)


def _changed(run_data: RunData, owner: ast.ClassDef, setters: set, name: str) -> Optional[Fact]:
    """Where a loop, or a method of a callback, gives the attribute another value; None where the class is made anew there."""
    for file in sorted(run_data.source.trees):
        for node in run_data.source.nodes(file, ast.Assign, ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named = any(isinstance(one, ast.Attribute) and one.attr == name for one in targets)
            if not named or not _may_be(node.value):
                continue
            around = run_data.source.enclosing(file, node.lineno)
            method = next((one for one in reversed(around) if isinstance(one, _FUNCTIONS)), None)
            inside = owner in around
            if inside and (method is None or method.name not in setters - {"__init__"}):
                continue
            if not inside and any(own_attribute(one) or _of_loop(one, around) for one in targets):
                continue  # another class's own, or each of several things in turn
            if _in_training(run_data, owner, around, method):
                return place(file, node.lineno)
    return None


def _may_be(value: ast.expr) -> bool:
    """Whether a value that an attribute is given may be a number, and none that compiled code reads anew."""
    other = isinstance(value, (ast.Tuple, ast.List, ast.Dict, ast.JoinedStr))
    constant = isinstance(value, ast.Constant) and not isinstance(value.value, (int, float))
    return not (other or constant or _holds(value))


def _of_loop(target: ast.AST, around: list) -> bool:
    """Whether the object whose attribute is assigned is what a loop around goes over."""
    names = {name for one in around if isinstance(one, ast.For) for name in target_names(one.target)}
    return isinstance(target, ast.Attribute) and bool(names & set(target_names(target.value)))


def _in_training(run_data: RunData, owner: ast.ClassDef, around: list, method: Optional[ast.AST]) -> bool:
    """Whether a place lies in a loop or a callback, or in a function that one calls."""
    if _repeats(owner, around):
        return True
    name = getattr(method, "name", None)
    if name is None or name in ("main", "__init__"):
        return False
    return any(
        _repeats(owner, run_data.source.enclosing(file, call.lineno))
        for file in run_data.source.trees
        for call in run_data.source.nodes(file, ast.Call)
        if called_name(call) == name
    )


def _repeats(owner: ast.ClassDef, around: list) -> bool:
    """Whether the loops around a place train, by what they call, and go on with what they have, or a callback is around it; not
    in a function in which nothing is trained."""
    if any(map(is_callback, around)):
        return True
    if any(_WITHOUT_TRAINING.search(one.name) for one in around if isinstance(one, _FUNCTIONS)):
        return False
    loops = [one for one in around if isinstance(one, _LOOPS)]
    names = {called_name(one) for loop in loops for one in _calls(loop)}
    return any(map(_TRAINS.search, names)) and not names & {owner.name, *_COMPILES}
