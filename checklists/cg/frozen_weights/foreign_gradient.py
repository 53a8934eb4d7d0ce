"""Gradients by the weights of a network that what is differentiated does not compute with (cg.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import GRADIENTS, called_name, differentiated_by, names_read, root_name

_WEIGHTS = ("trainable_params", "get_parameters")


def foreign_gradient(run_data: RunData) -> Optional[Finding]:
    """A problem where ``value_and_grad(f, None, net.trainable_params())`` is given a function of the script that neither names
    ``net``, nor anything that is made of it, nor calls a function that does: all these gradients are zero."""
    for file, call in run_data.source.calls_anywhere(GRADIENTS):
        functions = (
            run_data.source.functions(call.args[0].id) if call.args and isinstance(call.args[0], ast.Name) else []
        )
        network = _network(run_data, file, differentiated_by(call))
        if len(functions) != 1 or not network:
            continue
        reached = _reached(run_data, file, functions[0][1])
        others = sorted(reached & _networks(run_data, file) - {network})
        if network not in reached and others:
            return _finding(run_data, place(file, call.lineno), functions[0][1].name, network, others[0])
    return None


def _network(run_data: RunData, file: str, weights: Optional[ast.expr]) -> str:
    """``net`` of ``net.trainable_params()``, and of ``optimizer.parameters`` where the optimizer was made of these; else an empty
    text."""
    if isinstance(weights, ast.Name):
        weights = run_data.source.only_value(file, weights.id)
    if isinstance(weights, ast.Attribute) and weights.attr == "parameters" and isinstance(weights.value, ast.Name):
        made = run_data.source.only_value(file, weights.value.id)
        weights = next(iter(made.args), None) if isinstance(made, ast.Call) else None
    if not isinstance(weights, ast.Call) or called_name(weights) not in _WEIGHTS:
        return ""
    owner = weights.func.value if isinstance(weights.func, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) and run_data.source.only_value(file, owner.id) is not None else ""


def _networks(run_data: RunData, file: str) -> set:
    """The names whose weights a file asks for."""
    return {root_name(call.func) for call in run_data.source.calls_named(file, _WEIGHTS)}


def _reached(run_data: RunData, file: str, function: ast.AST) -> set:
    """The names that a function reads, those that the functions which it names read, and those that what it names is made of."""
    found: set = set()
    waiting = [function]
    while waiting:
        new = names_read(ast.walk(waiting.pop())) - found
        found |= new
        waiting += [one for name in new for _, one in run_data.source.functions(name)]
        waiting += [one for name in new for one in run_data.source.values_given(file).get(name, ()) if one is not None]
    return found


def _finding(run_data: RunData, where, function: str, network: str, other: str) -> Finding:
    return problem(
        Text(
            "{where} 让 {function} 对 {network} 的参数求导，而 {function} 不用 {network} 计算，用的是 {other}："
            "这些梯度全部为零，{other} 也得不到自己的梯度。",
            "{where} takes the gradient of {function} by the weights of {network}, with which {function} does not compute, but "
            "with {other}: all these gradients are zero, and {other} gets none of its own.",
            where=at(where),
            function=function,
            network=network,
            other=other,
        ),
        Text("对 {other}.trainable_params() 求导。", "Take it by {other}.trainable_params().", other=other),
        run_data.code_at([where], Text("求导之处", "Where the gradient is taken")),
        [where],
    )
