"""Where the user's code treats NaN after delivery: in network, forward function or training loop (ds.01)."""

import ast
import re

from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, is_data_loop, root_name

_TREATMENTS = {"nan_to_num", "isnan", "isfinite", "isinf", "is_nan", "masked_fill_nan", "IsNan", "IsFinite"}
_NUMPY = {"np", "numpy", "pd", "pandas", "math", "scipy"}
_ONLY_ASKED = {"any", "all", "bool", "print", "sum", "all_finite", "item", "reduce_any", "reduce_all", "count_nonzero"}
_RESULTS = re.compile(r"loss|grad|logit|pred|metric|score|weight|param", re.IGNORECASE)


def nan_treatments(run_data: RunData) -> list:
    """Places that replace or mask NaN in delivered data. A test such as ``if isnan(loss)`` is none."""
    found = {}
    for scope in run_data.source.delivered_scopes():
        for call, parents in run_data.source.calls(scope.node):
            if called_name(call) in _TREATMENTS and _treats(call, parents, scope.node):
                found[scope.file, call.lineno] = place(scope.file, call.lineno)
    return [found[key] for key in sorted(found)]


def _treats(call: ast.Call, parents: tuple, scope: ast.AST) -> bool:
    if _RESULTS.search(" ".join(ast.unparse(argument) for argument in call.args) or ast.unparse(call.func)):
        return False
    if root_name(call.func) in _NUMPY and not is_data_loop(scope):
        return False
    return not _only_asked(call, parents)


def _only_asked(call: ast.Call, parents: tuple) -> bool:
    """The answer decides a branch, is printed or reduced to one flag: a test, not a treatment."""
    inner = call
    for parent in parents:
        if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)) and inner is parent.test:
            return True
        if isinstance(parent, ast.Call) and inner is not call and called_name(parent) in _ONLY_ASKED:
            return True
        if isinstance(parent, ast.Call) and called_name(parent) in _ONLY_ASKED and call in parent.args:
            return True
        if isinstance(parent, ast.stmt) and not isinstance(parent, (ast.If, ast.While, ast.Assert)):
            return isinstance(parent, ast.Assert)
        inner = parent
    return False
