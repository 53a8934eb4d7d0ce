"""Dropout that an argument of a function switches, and that an evaluation leaves switched on (api.02)."""

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import FunctionNode, bound_names, called_name

_KEPT = re.compile(r"^(p_?)?keep(_?(prob|rate|ratio|p))?$", re.IGNORECASE)
_DROPPED = re.compile(r"^(p_?)?drop(out)?(_?(prob|rate|ratio|p))?$", re.IGNORECASE)
_TRAINS = re.compile(r"^(is_?)?train(ing)?$", re.IGNORECASE)
_DRAWS = re.compile(r"dropout|\brand\w*\(|bernoulli|binomial|uniform", re.IGNORECASE)
#: Words of code that samples its predictions on purpose, as Monte Carlo dropout does.
SAMPLES = re.compile(r"monte|\bmc_|_mc\b|uncertain|bayes|samples?_", re.IGNORECASE)


class _Switch(NamedTuple):
    """A parameter of a function: its name, its position among the arguments of a call, and its default (None: none)."""

    name: str
    position: int
    default: Optional[ast.expr]


class _Use(NamedTuple):
    """A call, its file, and the function around it (empty: at the top level)."""

    file: str
    call: ast.Call
    around: str


def never_switched_off(run_data: RunData) -> Optional[Finding]:
    """A problem where a function with a parameter such as ``keep_prob``, ``dropout`` or ``training`` draws by it, and every call
    outside what is differentiated leaves it at a value that drops, as those inside do."""
    trained = _trained(run_data)
    for file in sorted(run_data.source.trees) if trained else ():
        for function in run_data.source.nodes(file, ast.FunctionDef):
            if function.name != "construct" and function.name not in trained:
                continue
            for switch in _switches(function):
                if not _draws_by(run_data, function, switch.name):
                    continue
                uses = list(_uses(run_data, file, function))
                outside = [one for one in uses if one.around not in trained]
                known = [_drops(switch, one.call) for one in outside]
                inside = any(one.around in trained and _drops(switch, one.call) for one in uses)
                if inside and outside and all(known) and not any(_sampled(run_data, one) for one in outside):
                    return _finding(run_data, place(file, function.lineno), switch, outside)
    return None


def _finding(run_data: RunData, declared: Fact, switch: _Switch, outside: list) -> Finding:
    places = [*dict.fromkeys((one.file, one.call.lineno) for one in outside)]
    shown = [*(place(*one) for one in places[:3]), declared]
    return problem(
        Text(
            "评估时（{where}）没有关掉 dropout：{declared} 的参数 {name} 与训练时一样取会丢弃的值，预测因此是随机的。",
            "The evaluation at {where} leaves dropout on: {name} of the function at {declared} has a value that drops, as in "
            "training, so that predictions are drawn at random.",
            where=at(shown[0]),
            declared=at(declared),
            name=switch.name,
        ),
        Text(
            "评估时显式传入不丢弃的值（keep_prob=1.0、dropout=0.0 或 training=False）。",
            "Hand a value that drops nothing to the evaluation: keep_prob=1.0, dropout=0.0, or training=False.",
        ),
        run_data.code_at(shown, Text("评估的调用与参数的默认值", "The call that evaluates, and the default")),
        shown,
    )


def _trained(run_data: RunData) -> set:
    """Names of the functions that are differentiated, and of all that they call."""
    found = {name for file in run_data.source.trees for name in run_data.source.under_gradient(file)}
    waiting = list(found)
    while waiting:
        for _, function in run_data.source.functions(waiting.pop()):
            named = {called_name(one) for one in ast.walk(function) if isinstance(one, ast.Call)}
            new = {one for one in named - found if run_data.source.functions(one)}
            found |= new
            waiting += new
    return found


def _switches(function: FunctionNode) -> Iterator[_Switch]:
    given = [*function.args.posonlyargs, *function.args.args]
    defaults: list = [None] * (len(given) - len(function.args.defaults)) + list(function.args.defaults)
    method = bool(given) and given[0].arg == "self"
    pairs = [*zip(given, defaults), *zip(function.args.kwonlyargs, function.args.kw_defaults)]
    for position, (argument, default) in enumerate(pairs):
        if any(pattern.search(argument.arg) for pattern in (_KEPT, _DROPPED, _TRAINS)):
            yield _Switch(argument.arg, position - method, default)


def _draws_by(run_data: RunData, function: FunctionNode, name: str) -> bool:
    """Whether what draws at random is given the parameter: a function named dropout, or one whose code draws."""
    for call in (one for one in ast.walk(function) if isinstance(one, ast.Call)):
        given = [*call.args, *(one.value for one in call.keywords)]
        if any(isinstance(part, ast.Name) and part.id == name for one in given for part in ast.walk(one)):
            callees = run_data.source.functions(called_name(call))
            if "dropout" in called_name(call).lower() or any(_DRAWS.search(ast.unparse(one)) for _, one in callees):
                return True
    return False


def _uses(run_data: RunData, file: str, function: FunctionNode) -> Iterator[_Use]:
    """The calls of a function; of a ``construct``, those of the objects that its class makes."""
    names = {function.name}
    around = run_data.source.class_around(file, function.lineno) if function.name == "construct" else None
    if around is not None:
        homes = dict(run_data.source.calls_anywhere((around.name,)))
        calls = [found for home in homes for found in run_data.source.calls_to(home, (around.name,))]
        made = [above[0] for call, above in calls if above and getattr(above[0], "value", None) is call]
        names = {name for one in made if isinstance(one, ast.Assign) for name in bound_names(one.targets)}
    for name, call in run_data.source.calls_anywhere(names):
        if isinstance(call.func, ast.Name):
            outer = run_data.source.function_around(name, call.lineno)
            yield _Use(name, call, outer.name if outer is not None else "")


def _drops(switch: _Switch, call: ast.Call) -> bool:
    """Whether a call is known to leave the parameter at a value that drops."""
    given = next((one.value for one in call.keywords if one.arg == switch.name), None)
    if any(one.arg is None for one in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    if given is None and 0 <= switch.position < len(call.args):
        given = call.args[switch.position]
    given = switch.default if given is None else given
    value: Any = given.value if isinstance(given, ast.Constant) else None
    if isinstance(value, bool):
        return value and _TRAINS.search(switch.name) is not None
    if not isinstance(value, (int, float)):
        return False
    return 0 < value < 1 and _TRAINS.search(switch.name) is None


def _sampled(run_data: RunData, use: _Use) -> bool:
    around = run_data.source.enclosing(use.file, use.call.lineno)
    return any(SAMPLES.search(ast.unparse(one)) for one in around[-3:])
