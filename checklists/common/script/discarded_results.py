"""Statements whose result is not kept, of calls that leave what they are given as it is (dp.03, ds.01)."""

import ast
from collections.abc import Collection

from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

#: Keywords by which such a call does write into what it is given.
_IN_PLACE = ("out", "inplace")


def discarded_calls(run_data: RunData) -> list:
    """``[(place, call), …]`` of the calls that are statements of their own, or stand with commas between in one."""
    return [
        (place(file, call.lineno), call)
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, ast.Expr)
        for call in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])
        if isinstance(call, ast.Call)
    ]


def discarded(run_data: RunData, names: Collection) -> list:
    """The places of such statements that call one of these functions, none of whose keywords makes it write in place."""
    return [
        where
        for where, call in discarded_calls(run_data)
        if called_name(call) in names and all(one.arg not in _IN_PLACE for one in call.keywords)
    ]
