"""Sums of gradients that a loop updates with and never clears, read where no optimizer was seen to be given them (td.04)."""

import ast
from itertools import product
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name, target_names

#: What an update by hand is called, beside functions of the script's that write to parameters.
_UPDATES = ("update", "apply", "apply_gradients", "step", "optimizer", "opt")
_WRITES = ("assign_sub", "assign_add", "assign", "set_data", "assign_value")


def kept_sums(run_data: RunData) -> Optional[Finding]:
    """A problem where gradients are added to a name in a loop, an update is called with that name alone in the same loop, and
    nothing there gives the name a new value."""
    for file in run_data.source.trees:
        for store in run_data.source.nodes(file, ast.Assign):
            if not isinstance(store.value, ast.ListComp):
                continue
            loops = [one for one in run_data.source.enclosing(file, store.lineno) if isinstance(one, ast.For)]
            for loop, name in product(loops, sorted(bound_names(store.targets))):
                call = _update_with(run_data, loop, name) if _adds_gradients(run_data, loop, name) else None
                if call is not None:
                    return _finding(run_data, name, [place(file, one) for one in _lines(run_data, file, name, call)])
    return None


def _update_with(run_data: RunData, loop: ast.For, name: str) -> Optional[ast.Call]:
    """The first update in a loop that is called with a name alone."""
    calls = (one for one in ast.walk(loop) if isinstance(one, ast.Call) and _given_alone(one) == name)
    return next((one for one in calls if _is_update(run_data, one)), None)


def _given_alone(call: ast.Call) -> str:
    """The name that is the only argument of a call, as it is or as a tuple or list of it."""
    if len(call.args) != 1 or call.keywords:
        return ""
    given = call.args[0]
    if isinstance(given, ast.Call) and called_name(given) in ("tuple", "list"):
        return _given_alone(given)
    return given.id if isinstance(given, ast.Name) else ""


def _is_update(run_data: RunData, call: ast.Call) -> bool:
    if called_name(call) in _UPDATES:
        return True
    made = run_data.source.functions(called_name(call))
    calls = [one for _, node in made for one in ast.walk(node) if isinstance(one, ast.Call)]
    return any(called_name(one) in _WRITES for one in calls)


def _adds_gradients(run_data: RunData, loop: ast.For, name: str) -> bool:
    """Whether the only values that a loop gives a name are the name's own plus what a gradient function gave, nothing multiplied
    with what it was, as a momentum is, and nothing squared."""
    stores = [one for one in ast.walk(loop) if isinstance(one, ast.Assign) and name in bound_names(one.targets)]
    gradients = {
        part
        for one in ast.walk(loop)
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and _differentiates(run_data, one.value)
        for part in bound_names(one.targets)
    }
    return bool(stores) and all(_is_sum(one.value, name, gradients) for one in stores)


def _differentiates(run_data: RunData, call: ast.Call) -> bool:
    return "grad" in called_name(call).lower() or called_name(call) in run_data.once(_gradient_functions)


def _gradient_functions(run_data: RunData) -> set:
    return run_data.source.gradient_functions()


def _is_sum(value: ast.expr, name: str, gradients: set) -> bool:
    if not isinstance(value, ast.ListComp) or len(value.generators) != 1:
        return False
    zipped, target = value.generators[0].iter, value.generators[0].target
    given = zipped.args if isinstance(zipped, ast.Call) and called_name(zipped) == "zip" else []
    names = [target_names(one)[:1] for one in given]
    if len(names) != 2 or [name] not in names or not any(set(one) & gradients for one in names):
        return False
    own = target.elts[names.index([name])] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
    added = value.elt
    if not isinstance(added, ast.BinOp) or not isinstance(added.op, ast.Add) or not isinstance(own, ast.Name):
        return False
    return own.id in (getattr(added.left, "id", None), getattr(added.right, "id", None))


def _lines(run_data: RunData, file: str, name: str, call: ast.Call) -> list:
    """Where the sums begin, and where the update is called with them."""
    begun = [
        one.lineno
        for one in run_data.source.nodes(file, ast.Assign)
        if name in bound_names(one.targets) and name not in target_names(one.value)
    ]
    return [*begun[:1], call.lineno]


def _finding(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{where} 用累加的梯度 {name} 更新，而循环中从不清零：之前各次更新的梯度一再计入。",
            "{where} updates with the sums of gradients in {name}, and nothing in the loop clears them: the gradients of all "
            "updates before count again and again.",
            where=at(places[-1]),
            name=name,
        ),
        Text("每次更新之后把累加的梯度清零。", "Set the sums back to zero after each update."),
        [run_data.code_at(places, Text("累加与更新", "Where they are added up, and the update"))],
        places,
    )
