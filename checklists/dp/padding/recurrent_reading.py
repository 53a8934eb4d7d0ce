"""A recurrent layer that reads on through the padding after each sequence and gives its state at the very end (dp.04)."""

import ast
import re

from msprec.checklists.common.data.padded_ends import ends_in_padding
from msprec.checklists.common.script.unread_arguments import required_arguments
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact

_RECURRENT = re.compile(r"^(LSTM|GRU|RNN)$")
_LENGTHS = re.compile(r"len", re.IGNORECASE)
_REDUCED = re.compile(r"max|mean|sum|attention|softmax", re.IGNORECASE)


def reads_through_padding(run_data: RunData, pad: Fact) -> list:
    """Where the last step of a recurrent layer is taken; empty where nothing was lost by it.

    It is where sequences end in padding for most of their length (dp.04.after), one recurrent layer that is not told their
    lengths goes forward over them, its last step alone is used, and the training ended at the level of a constant prediction.
    """
    cells = [cell for network in run_data.networks for cell in network.cells]
    layers = [cell for cell in cells if _RECURRENT.match(cell.class_ or "") and cell.path]
    if len(layers) != 1 or pad.kind != "int" or not ends_in_padding(run_data, pad):
        return []
    if pad.length and not lengths_unread(run_data):
        return []
    if learning_outcome(run_data).verdict not in ("nothing", "hardly"):
        return []
    return _last_steps(run_data, layers[0].path.rsplit(".", 1)[-1])


def lengths_unread(run_data: RunData) -> bool:
    """Whether each forward function that is given lengths makes nothing of them."""
    given = [one for one in required_arguments(run_data) if _LENGTHS.search(one.name)]
    return bool(given) and not any(one.read for one in given)


def _last_steps(run_data: RunData, name: str) -> list:
    for file, tree in run_data.source.trees.items():
        for construct in ast.walk(tree):
            if not isinstance(construct, ast.FunctionDef) or construct.name != "construct":
                continue
            calls = [one for one in ast.walk(construct) if isinstance(one, ast.Call) and _is_of(one, name)]
            if len(calls) == 1 and _alone(calls[0]) and not _REDUCED.search(ast.unparse(construct)):
                taken = [one for one in ast.walk(construct) if isinstance(one, ast.Subscript) and _takes_last(one)]
                return [place(file, one.lineno) for one in (taken[0], calls[0])] if taken else []
    return []


def _is_of(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == name


def _alone(call: ast.Call) -> bool:
    """Whether it is given neither lengths nor states."""
    return len(call.args) == 1 and not call.keywords


def _takes_last(node: ast.Subscript) -> bool:
    """``h[:, -1]``, ``h[:, -1, :]``, ``h[-1]``."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(ast.unparse(part) == "-1" for part in parts[:2])
