"""Copies of parameters that a loop gives its own variable, and not the Parameter (td.07)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, target_names

_PARAMETERS = re.compile(r"\b(get_parameters|trainable_params|parameters_dict|parameters_and_names|parameters)\b")
_COPIES = ("clone", "copy", "deepcopy", "asnumpy", "value", "Tensor", "Parameter", "identity")
_WRITES = re.compile(r"set_data|assign|copy_|update_parameter|load_param")


def lost_copies(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop over the parameters of two networks only binds its own variable to a copy (``old = new.clone()``):
    what was to follow keeps its weights."""
    for file in sorted(run_data.source.trees):
        for loop in run_data.source.nodes(file, ast.For):
            lines = list(_rebinds(loop))
            if lines:
                return _finding(run_data, [place(file, line) for line in lines])
    return None


def _finding(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "{where} 只是让循环变量指向副本，没有写入 Parameter：要跟随的网络保持原来的权重。",
            "{where} only binds the loop's own variable to a copy and writes into no Parameter: the network that was to follow "
            "keeps its weights.",
            where=at(places[0]),
        ),
        Text(
            "用 old.set_data(new) 或 ops.assign(old, new) 写入。",
            "Write it: old.set_data(new), or ops.assign(old, new).",
        ),
        run_data.code_at(places, Text("复制之处", "Where it is copied")),
        places,
    )


def _rebinds(loop: ast.For) -> Iterator[int]:
    pair = set(target_names(loop.target))
    if len(pair) != 2 or not _PARAMETERS.search(ast.unparse(loop.iter)):
        return
    if _WRITES.search("\n".join(ast.unparse(one) for one in loop.body)):
        return
    read = [one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    for node in loop.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            own, value = node.targets[0].id, node.value
            copied = isinstance(value, ast.Call) and called_name(value) in _COPIES
            other = pair - {own}
            if own in pair and own not in read and copied and other & set(target_names(value)):
                yield node.lineno
