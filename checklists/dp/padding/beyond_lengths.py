"""The last step of a recurrent layer's output that was told the lengths of its sequences: behind their end it is 0 (dp.04)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, own_attribute, own_nodes

_LAYERS = ("LSTM", "GRU", "RNN")


def reads_beyond_lengths(run_data: RunData) -> Optional[Finding]:
    """A problem where data are padded, a recurrent layer is given their lengths, and of its output one fixed step at the end is
    taken: ``out, _ = self.rnn(x, None, lengths)`` and ``out[:, -1]``. MindSpore's layers put out 0 behind each sequence."""
    if not any(pad.share for dataset in run_data.datasets for pad in dataset.padding):
        return None
    for file, call in run_data.source.calls_anywhere(_LAYERS):
        for held in _holders(run_data, file, call):
            for taken, made in _last_steps(run_data, file, held):
                return _finding(run_data, place(file, taken.lineno), place(file, made.lineno))
    return None


def _holders(run_data: RunData, file: str, call: ast.Call) -> Iterator[str]:
    """``rnn`` of ``self.rnn = nn.LSTM(…)``."""
    for store in run_data.source.nodes(file, ast.Assign):
        if store.value is call:
            yield from (name for name in map(own_attribute, store.targets) if name)


def _last_steps(run_data: RunData, file: str, held: str) -> Iterator[tuple]:
    """``(the subscript, the call)`` where the first result of a call with lengths is read at its last step."""
    for function in run_data.source.nodes(file, ast.FunctionDef):
        nodes = own_nodes(function)
        stores = [one for one in nodes if isinstance(one, ast.Assign)]
        for store in stores:
            name = _first_result(store, held)
            if not name or sum(name in bound_names(one.targets) for one in stores) > 1:
                continue
            for node in nodes:
                if isinstance(node, ast.Subscript) and ast.unparse(node.value) == name and _is_last(node):
                    yield node, store


def _first_result(store: ast.Assign, held: str) -> str:
    """``out`` of ``out, _ = self.rnn(x, None, lengths)``; empty of anything else."""
    target, call = store.targets[0], store.value
    if not isinstance(call, ast.Call) or own_attribute(call.func) != held or not _has_lengths(call):
        return ""
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else None
    return first.id if isinstance(first, ast.Name) else ""


def _has_lengths(call: ast.Call) -> bool:
    given = [*call.args[2:3], *(one.value for one in call.keywords if one.arg == "seq_length")]
    return any(not isinstance(one, ast.Constant) for one in given)


def _is_last(node: ast.Subscript) -> bool:
    """``h[:, -1]``, ``h[:, -1, :]``, ``h[-1]``, ``h[:, x.shape[1] - 1]``."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    steps = [ast.unparse(one) for one in parts[:2] if not isinstance(one, ast.Slice)]
    return len(steps) == 1 and (steps[0] == "-1" or (".shape[" in steps[0] and steps[0].endswith("- 1")))


def _finding(run_data: RunData, taken, made) -> Finding:
    places = [taken, made]
    return problem(
        Text(
            "{made} 把各序列的长度交给循环层，其输出在每个序列结束之后为 0；{taken} 却取固定的最后一步："
            "除最长的序列外，取到的都是 0。",
            "{made} gives a recurrent layer the lengths of its sequences, and its output is 0 behind the end of each; {taken} "
            "takes the last step of all: of every sequence but the longest that is 0.",
            made=at(made),
            taken=at(taken),
        ),
        Text(
            "用返回的末状态（h_n），或按 length - 1 取每个序列自己的最后一步。",
            "Use the final state that is returned (h_n), or take the step length - 1 of each sequence.",
        ),
        run_data.code_at(places, Text("循环层与取出的一步", "The recurrent layer, and the step that is taken")),
        places,
    )
