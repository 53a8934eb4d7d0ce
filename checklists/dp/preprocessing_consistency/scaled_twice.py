"""Arrays that a function scales and that are given to the same function again (dp.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import argument_names, called_name, root_name


def scaled_twice(run_data: RunData) -> Optional[Finding]:
    """A problem where ``x = prepare(raw)`` is the one value that a name has, and ``prepare(x)``, or ``prepare(x[…])``, scales it
    again: of a function of the script's that returns its first argument divided, or less something over something."""
    for file in run_data.source.trees:
        scaling = {
            name: function
            for function in run_data.source.nodes(file, ast.FunctionDef)
            if len(run_data.source.functions(name := function.name)) == 1 and _scales(function)
        }
        for call in run_data.source.calls_named(file, sorted(scaling)):
            name = root_name(call.args[0]) if call.args and isinstance(call.args[0], (ast.Name, ast.Subscript)) else ""
            first = run_data.source.only_value(file, name)
            if isinstance(first, ast.Call) and called_name(first) == called_name(call) and first is not call:
                places = [place(file, one.lineno) for one in (call, first, scaling[called_name(call)])]
                return _finding(run_data, called_name(call), name, places)
    return None


def _scales(function: ast.FunctionDef) -> bool:
    """Whether all that a function does is to return its first argument divided by a number, or less something over something;
    other operations around it may follow."""
    body = [one for one in function.body if not isinstance(one, ast.Expr)]
    names = argument_names(function)
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None or not names:
        return False
    return any(_divides(one, names[0]) for one in ast.walk(body[0].value))


def _divides(node: ast.AST, name: str) -> bool:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return False
    above = node.left
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub):
        above = above.left
    while isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute) and above.func.attr == "astype":
        above = above.func.value
    return isinstance(above, ast.Name) and above.id == name


def _finding(run_data: RunData, function: str, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{again} 处把 {name} 再次交给 {function}，而它在 {first} 处已由 {function} 缩放过：数据被缩放了两次。",
            "{again} gives {name} to {function} again, which has scaled it already at {first}: these data are scaled twice.",
            again=at(places[0]),
            first=at(places[1]),
            name=name,
            function=function,
        ),
        Text("只缩放一次。", "Scale them once."),
        [run_data.code_at(places, Text("两次缩放", "Where they are scaled"))],
        places,
    )
