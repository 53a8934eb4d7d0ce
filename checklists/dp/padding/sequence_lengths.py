"""Where the network takes the first elements of a padded sequence for the real ones (dp.04)."""

import ast

from msprec.engine.run_data import RunData, place

_RECURRENT = ("mindspore.nn.RNN", "mindspore.nn.LSTM", "mindspore.nn.GRU")
_SEQ_LENGTH = 2  # position of seq_length in construct(x, hx, seq_length) of those cells
_TURNED = r"\b(flip|fliplr|reverse_sequence|ReverseSequence|ReverseV2)\s*\(|\[::-1\]|\[:, ?::-1\]"


def counted_from_the_start(run_data: RunData) -> list:
    """Calls that are given lengths and count them from the first element: ``seq_length`` of recurrent cells, ``sequence_mask``.

    Empty where the script turns sequences round: then what is delivered is not what those calls are given.
    """
    if run_data.find_lines(_TURNED, 1):
        return []
    calls = sorted(
        (call for call in run_data.project.calls() if _counts(run_data, call)), key=lambda one: one.node.lineno
    )
    return [place(call.scope.module.file, call.node.lineno) for call in calls]


def _counts(run_data: RunData, call) -> bool:
    node, project = call.node, run_data.project
    if project.qualified(node.func, call.scope) in ("mindspore.ops.sequence_mask", "mindspore.nn.SequenceMask"):
        return bool(node.args) and _plain(node.args[0])
    made = project.value_node(node.func, call.scope)
    if not isinstance(made, ast.Call) or project.qualified(made.func, call.scope) not in _RECURRENT:
        return False
    given = [word.value for word in node.keywords if word.arg == "seq_length"] or node.args[_SEQ_LENGTH:]
    return bool(given) and _plain(given[0])


def _plain(node: ast.AST) -> bool:
    """A name, or a cast of one, and not None."""
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) and not any(
        isinstance(inner, ast.BinOp) for inner in ast.walk(node)
    )
