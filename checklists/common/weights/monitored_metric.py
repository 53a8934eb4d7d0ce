"""A metric that is monitored in the wrong sense: the least accuracy, or the largest loss, counts as the best (wi.02)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.array_origin import argument_of
from msprec.checklists.common.weights.kept_weights import better_way
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import argument_names, called_name

_MODES = {"min": False, "max": True}


def monitored_the_wrong_way(run_data: RunData) -> Optional[Finding]:
    """A problem where ``monitor`` names an accuracy and ``mode`` is "min", or a loss and "max": as arguments of one call, keys of
    one dictionary, or fields of one class or defaults of one function that no call gives otherwise; or where an object that was
    made with a mode, or by its class's default, is handed such a metric; None elsewhere."""
    found = next(_contradictions(run_data), None) or next(_handed(run_data), None)
    if found is None:
        return None
    metric, mode, *places = found
    return problem(
        Text(
            "监控的是 {metric}，却用 mode={mode}：被当作最好的是最差的一次，保留（或据以停止、调整学习率）的就是它。",
            "{metric} is monitored with mode={mode}: what counts as the best is the worst, and weights are kept, the training is "
            "stopped or the rate changed by it.",
            metric=metric,
            mode=mode,
        ),
        Text("改为 mode={mode}。", "Set mode={mode}.", mode="max" if mode == "min" else "min"),
        [run_data.code_at(places, Text("监控之处", "Where it is monitored"))],
        places,
    )


def _contradictions(run_data: RunData) -> Iterator[tuple]:
    """``(metric, mode, where the mode stands)``."""
    for file in run_data.source.trees:
        for kind in (ast.Call, ast.Dict, ast.ClassDef, ast.FunctionDef):
            for node in run_data.source.nodes(file, kind):
                told = _constants(node)
                metric, mode = told.get("monitor"), told.get("mode")
                if metric is None or mode is None or mode.value not in _MODES:
                    continue
                if better_way(str(metric.value)) in (None, _MODES[mode.value]):
                    continue
                if isinstance(node, (ast.Call, ast.Dict)) or not _given_otherwise(run_data):
                    yield metric.value, mode.value, place(file, mode.lineno)


def _constants(node: ast.AST) -> dict:
    """The texts that stand beside names in a call, a dictionary, the body of a class or the defaults of a function:
    ``{name: constant}``."""
    pairs: list = []
    if isinstance(node, ast.Call):
        pairs = [(one.arg, one.value) for one in node.keywords]
    elif isinstance(node, ast.Dict):
        pairs = [(one.value, value) for one, value in zip(node.keys, node.values) if isinstance(one, ast.Constant)]
    elif isinstance(node, ast.ClassDef):
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
        pairs = [(one.target.id, one.value) for one in fields if isinstance(one.target, ast.Name)]
    elif isinstance(node, ast.FunctionDef) and node.args.defaults:
        given = [*node.args.posonlyargs, *node.args.args][-len(node.args.defaults) :]
        pairs = [(one.arg, value) for one, value in zip(given, node.args.defaults)]
    return {name: value for name, value in pairs if isinstance(value, ast.Constant) and isinstance(value.value, str)}


def _given_otherwise(run_data: RunData) -> bool:
    """Whether some call hands over a ``monitor`` or a ``mode`` as a text, so that the defaults of a class may not count."""
    calls = (one for file in run_data.source.trees for one in run_data.source.nodes(file, ast.Call))
    return any({"monitor", "mode"} & _constants(one).keys() for one in calls)


def _handed(run_data: RunData) -> Iterator[tuple]:
    """``(metric, mode, places …)`` of objects of classes that take a ``mode``: the mode, the object and the call."""
    for file in run_data.source.trees:
        for held, made in _objects(run_data, file):
            mode = _mode_of(run_data, file, made)
            if mode is None or mode[0] not in _MODES:
                continue
            for where, call in _calls_of(run_data, file, ast.unparse(held)):
                for metric in (_metric(run_data, one) for one in call.args):
                    if metric and better_way(metric) not in (None, _MODES[mode[0]]):
                        yield metric, mode[0], mode[1], place(file, made.lineno), place(where, call.lineno)


def _objects(run_data: RunData, file: str) -> Iterator[tuple]:
    """``(the expression that holds it, the call that makes it)`` of objects that are assigned, or handed over by a word that the
    class which takes them keeps them under."""
    for node in run_data.source.nodes(file, ast.Assign):
        if isinstance(node.value, ast.Call):
            yield node.targets[0], node.value
    for call in run_data.source.nodes(file, ast.Call):
        if run_data.source.classes(called_name(call)):
            own = ast.Name("self", ast.Load())
            given = [one for one in call.keywords if one.arg and isinstance(one.value, ast.Call)]
            yield from ((ast.Attribute(own, one.arg, ast.Store()), one.value) for one in given)


def _mode_of(run_data: RunData, file: str, call: ast.Call) -> Optional[tuple]:
    """``(mode, where it is written)`` of an object of a class of the script's: the call's argument, or the default."""
    made = [
        (where, one)
        for where, node in run_data.source.classes(called_name(call))
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name == "__init__"
    ]
    names = argument_names(made[0][1]) if made else []
    if "mode" not in names:
        return None
    where, function = made[0]
    given = argument_of(call, "mode", names.index("mode"))
    if given is not None or any(word.arg is None for word in call.keywords):
        value = getattr(given, "value", None)
        return (value, place(file, call.lineno)) if isinstance(value, str) else None
    default = _constants(function).get("mode")
    return (default.value, place(where, default.lineno)) if default is not None else None


def _calls_of(run_data: RunData, file: str, held: str) -> Iterator[tuple]:
    """``(file, call)`` of calls of an object and of its methods: of a name in its file, of an attribute anywhere."""
    for other in run_data.source.trees if "." in held else [file]:
        for call in run_data.source.nodes(other, ast.Call):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
            if ast.unparse(owner) == held:
                yield other, call


def _metric(run_data: RunData, node: ast.AST) -> str:
    """What an argument is called: a name, an attribute, a key, or the text that a setting of the name ``monitor`` holds."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call) and len(node.args) == 1 and called_name(node) == "float":
        return _metric(run_data, node.args[0])
    if not isinstance(node, ast.Subscript):
        return ""
    key = node.slice
    if isinstance(key, ast.Constant):
        return str(key.value)
    if _metric(run_data, key) == "monitor":
        return next((name for file in run_data.source.trees for name in _monitored(run_data, file)), "")
    return ""


def _monitored(run_data: RunData, file: str) -> Iterator[str]:
    for kind in (ast.Dict, ast.Call, ast.ClassDef):
        for node in run_data.source.nodes(file, kind):
            told = _constants(node).get("monitor")
            if told is not None:
                yield told.value
