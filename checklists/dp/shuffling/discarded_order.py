"""Orders that are drawn and not kept: ``rng.permutation(indices)`` as a statement of its own changes nothing (dp.03)."""

import ast

from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

#: Functions that give what they draw and leave their argument as it is.
_DRAWS = {"permutation", "permuted", "randperm"}


def discarded_order(run_data: RunData) -> list:
    """The places of statements that draw an order, or give a data set with a shuffle, and keep nothing of it.

    ``shuffle`` of a number is that of ``mindspore.dataset``, which gives another data set; of an array it works in place.
    """
    return [
        place(file, node.lineno)
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, ast.Expr)
        if isinstance(node.value, ast.Call) and (_draws(node.value) or _of_a_set(node.value))
    ]


def _draws(call: ast.Call) -> bool:
    return called_name(call) in _DRAWS and all(one.arg != "out" for one in call.keywords)


def _of_a_set(call: ast.Call) -> bool:
    counts = any(isinstance(one, ast.Constant) and isinstance(one.value, int) for one in call.args)
    return called_name(call) == "shuffle" and (counts or any(one.arg == "buffer_size" for one in call.keywords))
