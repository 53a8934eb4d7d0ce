"""Parameters that gradients are added into, that an optimizer is given, and that nothing clears (td.04)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional, Union

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_OPTIMIZER = re.compile(r"opt(im\w*)?$", re.IGNORECASE)
#: What maps a function over the sums and the gradients, and the name of a function that adds.
_MAPS, _ADDING = ("hyper_map", "HyperMap", "map_", "map"), re.compile(r"add|accu|sum", re.IGNORECASE)

_Scope = Union[ast.Module, ast.ClassDef]


def kept_buffers(run_data: RunData) -> Optional[Finding]:
    """A problem where all that a class or a script does with a sequence is to make it, to add to its elements, and to call an
    optimizer with it."""
    optimizers = [name for name in run_data.source.names_called() if _OPTIMIZER.search(name)]
    for file, call in run_data.source.calls_anywhere(optimizers):
        given = _sequence_given(call)
        scope = _scope(run_data, file, call, given) if given else None
        if scope is None or _reached_from_elsewhere(run_data, scope, given):
            continue
        added = _only_added_to(scope, given, call)
        if added is not None:
            places = [place(file, call.lineno), place(file, added.lineno)]
            return _finding(run_data, given, places)
    return None


def _sequence_given(call: ast.Call) -> str:
    """The name or attribute that an optimizer is called with alone, as ``tuple(one.value() for one in self.sums)``."""
    value = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if isinstance(value, ast.Call) and called_name(value) in ("tuple", "list") and len(value.args) == 1:
        value = value.args[0]
    if isinstance(value, (ast.GeneratorExp, ast.ListComp)):
        value = value.generators[0].iter
    return ast.unparse(value) if isinstance(value, (ast.Name, ast.Attribute)) else ""


def _scope(run_data: RunData, file: str, call: ast.Call, given: str) -> Optional[_Scope]:
    """Where the sequence lives: the class of an attribute of ``self``, the file of a name that no function makes."""
    if given.startswith("self."):
        return run_data.source.class_around(file, call.lineno)
    return None if "." in given else run_data.source.trees[file]


def _reached_from_elsewhere(run_data: RunData, scope: _Scope, given: str) -> bool:
    """Whether an attribute of that name is read outside of its class, as ``for one in step.sums: clear(one)`` does."""
    if not given.startswith("self."):
        return False
    own = {id(one) for one in ast.walk(scope)}
    attributes = (one for file in run_data.source.trees for one in run_data.source.nodes(file, ast.Attribute))
    return any(one.attr == given[len("self.") :] and id(one) not in own for one in attributes)


def _only_added_to(scope: _Scope, given: str, call: ast.Call) -> Optional[Union[ast.For, ast.Call]]:
    """Where the elements are added to; None where anything else is done with the sequence, or it is made anew."""
    made, added = False, None
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and any(ast.unparse(one) == given for one in node.targets):
            if made or not _is_made_once(scope, node, given):
                return None
            made = True
        elif isinstance(node, (ast.For, ast.Call)) and (where := _adds(node, given)) is not None:
            added = where
    known = {id(one) for one in ast.walk(call)} | {id(one) for one in ast.walk(added)} if added is not None else set()
    others = [one for one in _mentions(scope, given) if id(one) not in known and isinstance(one.ctx, ast.Load)]
    return added if made and not others else None


def _is_made_once(scope: _Scope, node: ast.Assign, given: str) -> bool:
    """Whether the sequence is made where an object is, or at the top of the file."""
    if not given.startswith("self."):
        return node in scope.body
    made = [one for one in scope.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    return any(one is node for function in made for one in ast.walk(function))


def _mentions(scope: _Scope, given: str) -> Iterator[Union[ast.Name, ast.Attribute]]:
    return (one for one in ast.walk(scope) if isinstance(one, (ast.Name, ast.Attribute)) and ast.unparse(one) == given)


def _adds(node: Union[ast.For, ast.Call], given: str) -> Optional[Union[ast.For, ast.Call]]:
    """The loop over the sequence and the gradients whose body adds alone, or the call that maps a function that adds."""
    if isinstance(node, ast.Call):
        maps = called_name(node) in _MAPS and len(node.args) == 3 and ast.unparse(node.args[1]) == given
        return node if maps and _ADDING.search(ast.unparse(node.args[0])) else None
    zipped = node.iter if isinstance(node.iter, ast.Call) and called_name(node.iter) == "zip" else None
    names = [ast.unparse(one) for one in zipped.args] if zipped is not None else []
    if given not in names or not isinstance(node.target, ast.Tuple) or len(node.target.elts) != len(names):
        return None
    element = ast.unparse(node.target.elts[names.index(given)])
    return node if all(_is_addition(one, element) for one in node.body) else None


def _is_addition(statement: ast.stmt, element: str) -> bool:
    """Whether a statement is ``assign_add(element, …)`` or ``element.assign_add(…)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or called_name(call) not in ("assign_add", "AssignAdd"):
        return False
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return element == owner or (bool(call.args) and ast.unparse(call.args[0]) == element)


def _finding(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{where} 用 {name} 中累加的梯度更新，而没有任何语句把它清零：之前各次更新的梯度一再计入。",
            "{where} updates with the sums of gradients in {name}, and nothing clears them: the gradients of all updates before "
            "count again and again.",
            where=at(places[0]),
            name=name,
        ),
        Text(
            "每次更新之后把累加的梯度清零（ops.assign(sum, ops.zeros_like(sum))）。",
            "Set the sums back to zero after each update (ops.assign(sum, ops.zeros_like(sum))).",
        ),
        [run_data.code_at(places, Text("累加与更新", "Where they are added up, and the update"))],
        places,
    )
