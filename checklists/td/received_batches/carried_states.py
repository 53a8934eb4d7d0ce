"""Recurrent states that a network keeps from one batch to the next although the samples are shuffled (td.05)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, first_place, plain_arrays, train_sets
from msprec.checklists.common.script.recurrent_state import through_the_loop
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import assigned_parts, called_name

_STATE = re.compile(r"_?(h|c|hx|cx|h_?0|c_?0|\w*hidden\w*|\w*states?)", re.IGNORECASE)
_RECURRENT = re.compile(r"GRU|LSTM|RNN")
_ASSIGNS = {"assign", "assign_value", "set_data", "copy_", "Assign"}
_DRAWS = ("permutation", "shuffle", "randperm")
_RESETS = re.compile(r"zeros|None|initializer|fill|init_state|\breset")


def carried_states(run_data: RunData) -> Optional[Finding]:
    """A problem where ``construct`` of a recurrent network reads a field and stores its new state there, nothing but ``__init__``
    sets it back, or the training loop hands each step the state that the step before gave, and the training set is shuffled:
    the state that a sample is given is that of another one."""
    shuffled = [one for one in train_sets(run_data) if one.iterated_at and _is_shuffled(run_data, one)]
    cells = {cell.class_ or "" for network in run_data.networks for cell in network.cells}
    if not shuffled or not any(_RECURRENT.search(name) for name in cells):
        return None
    kept = [where for name, where in _kept(run_data, cells) if not _is_reset(run_data, name)]
    handed_on = [where for one in shuffled if (where := through_the_loop(run_data, one)) is not None]
    if not kept and not handed_on:
        return None
    where = [*kept, *handed_on][0]
    return problem(
        Text(
            "{where} 把循环网络的状态从一个 batch 带到下一个，而训练集是混洗的（{data}）：样本得到的是其他样本的状态。",
            "At {where} the recurrent state is carried from one batch to the next, and the training set is shuffled ({data}): a "
            "sample is given the state of another one.",
            where=at(where),
            data=at(first_place(shuffled[0])),
        ),
        Text(
            "每个 batch 开始时把状态设回零；若序列跨 batch 延续，则不要混洗，并在每个序列开始处清零。",
            "Begin each batch with a state of zeros; where sequences go on over batches, do not shuffle, and clear the state "
            "where a sequence begins.",
        ),
        run_data.code_at([where], Text("状态的保存处", "Where the state is kept")),
        [where],
    )


def _is_shuffled(run_data: RunData, dataset: Fact) -> bool:
    """Whether a data set is shuffled, or the loop that takes rows of plain arrays draws their order anew."""
    if not plain_arrays(dataset):
        return bool(dataset.shuffle.declared)
    around = run_data.source.enclosing(dataset.iterated_at.file, dataset.iterated_at.line or 0)
    places = [node for node in around if isinstance(node, ast.For)] or [
        loop
        for function in (node for node in around if isinstance(node, ast.FunctionDef))
        for file, call in run_data.source.calls_anywhere((function.name,))
        for loop in run_data.source.enclosing(file, call.lineno)
        if isinstance(loop, ast.For)
    ]
    return any(isinstance(one, ast.Call) and called_name(one) in _DRAWS for loop in places for one in ast.walk(loop))


def _kept(run_data: RunData, cells: set) -> Iterator[tuple]:
    """``(field, place)`` of the fields that ``construct`` of a cell of the network both reads and writes."""
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.ClassDef):
            if node.name in cells:
                bodies = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "construct"]
                for one in (inner for body in bodies for inner in ast.walk(body)):
                    line, (fields, value) = getattr(one, "lineno", 0), _written(one)
                    for name in fields:
                        if _STATE.fullmatch(name) and any(_reads(body, name, line, value) for body in bodies):
                            yield name, place(file, line)


def _written(node: ast.AST) -> tuple:
    """``(fields, value)`` of ``self.h = value``, ``ops.assign(self.h, value)`` and ``self.h.set_data(value)``."""
    if isinstance(node, ast.Assign):
        held = [one for target in node.targets for one, _, _ in assigned_parts(target, node.value)]
        return [one.attr for one in held if isinstance(one, ast.Attribute)], node.value
    if isinstance(node, ast.Call) and called_name(node) in _ASSIGNS and node.args:
        holder = node.func.value if isinstance(node.func, ast.Attribute) and len(node.args) == 1 else node.args[0]
        return ([holder.attr] if isinstance(holder, ast.Attribute) else []), node.args[-1]
    return [], None


def _reads(body: ast.AST, name: str, before: int, value: ast.AST) -> bool:
    """Whether a field is read before a line or in the value that is written there; what is read later is no earlier batch's."""
    found = [*(one for one in ast.walk(body) if getattr(one, "lineno", before) < before), *ast.walk(value)]
    return any(isinstance(one, ast.Attribute) and one.attr == name and isinstance(one.ctx, ast.Load) for one in found)


def _is_reset(run_data: RunData, name: str) -> bool:
    """Whether a function other than ``__init__`` sets the field back."""
    for tree in run_data.source.trees.values():
        made = {id(one) for body in ast.walk(tree) if getattr(body, "name", "") == "__init__" for one in ast.walk(body)}
        for node in ast.walk(tree):
            fields, value = _written(node)
            if name in fields and id(node) not in made and _RESETS.search(ast.unparse(value)):
                return True
    return False
