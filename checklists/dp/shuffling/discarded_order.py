"""Orders that are drawn and not kept: ``rng.permutation(indices)`` as a statement of its own changes nothing (dp.03)."""

import ast

from msprec.checklists.common.script.discarded_results import discarded, discarded_calls
from msprec.checklists.common.script.reordered_alone import DRAWS
from msprec.engine.run_data import RunData
from msprec.source.user_code import called_name


def discarded_order(run_data: RunData) -> list:
    """The places of statements that draw an order, or give a data set with a shuffle, and keep nothing of it.

    ``shuffle`` of a number is that of ``mindspore.dataset``, which gives another data set; of an array it works in place.
    """
    return discarded(run_data, DRAWS) + [where for where, call in discarded_calls(run_data) if _of_a_set(call)]


def _of_a_set(call: ast.Call) -> bool:
    counts = any(isinstance(one, ast.Constant) and isinstance(one.value, int) for one in call.args)
    return called_name(call) == "shuffle" and (counts or any(one.arg == "buffer_size" for one in call.keywords))
