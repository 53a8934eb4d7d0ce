"""A tensor that a cell keeps for its computation and that nothing reads, as a table of positions (cg.03)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of, method_of, own_attribute

#: What makes a tensor that is kept.
_TENSORS = ("Tensor", "Parameter")


def judge_unread_field(run_data: RunData) -> Optional[Finding]:
    """A problem where the training learnt nothing or hardly anything, and a cell with a ``construct`` keeps a tensor in a field
    that no line of the program reads; None elsewhere: what is kept may be left over."""
    if learning_outcome(run_data).verdict not in ("nothing", "hardly"):
        return None
    made = {one.class_ for network in run_data.networks for one in (network, *network.cells)}
    read = _fields_read(run_data)
    for file in sorted(run_data.source.trees):
        for node in run_data.source.nodes(file, ast.ClassDef):
            construct = construct_of(node) if node.name in made else None
            if construct is None:
                continue
            for name, line in _kept_tensors(run_data, node):
                if name not in read:
                    return _finding(run_data, name, place(file, line), place(file, _first_line(construct)))
    return None


def _first_line(construct: ast.FunctionDef) -> int:
    """The line of the first statement that is no text."""
    body = [one for one in construct.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return body[0].lineno if body else construct.lineno


def _kept_tensors(run_data: RunData, node: ast.ClassDef) -> Iterator[tuple]:
    """``(field, line)`` of the tensors that the class's ``__init__`` keeps, made there or by a function of the script."""
    for one in ast.walk(method_of(node, "__init__") or ast.Pass()):
        if not (isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.value, ast.Call)):
            continue
        name, made = own_attribute(one.targets[0]), called_name(one.value)
        if name and (made in _TENSORS or _returns_tensor(run_data, made)):
            yield name, one.lineno


def _returns_tensor(run_data: RunData, function: str) -> bool:
    returned = [
        one.value
        for _, made in run_data.source.functions(function)
        for one in ast.walk(made)
        if isinstance(one, ast.Return)
    ]
    return bool(returned) and all(isinstance(one, ast.Call) and called_name(one) in _TENSORS for one in returned)


def _fields_read(run_data: RunData) -> set:
    """The names of all fields that the program reads, or names in a text."""
    found: set = set()
    for file in run_data.source.trees:
        for one in run_data.source.nodes(file, ast.Attribute, ast.Constant):
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load):
                found.add(one.attr)
            elif isinstance(one, ast.Constant) and isinstance(one.value, str):
                found.add(one.value)
    return found


def _finding(run_data: RunData, name: str, made: Fact, construct: Fact) -> Finding:
    return problem(
        Text(
            "{made} 准备的张量 self.{name} 没有任何一行读取：construct（{construct}）没有用它计算，训练没有学到东西。",
            "The tensor self.{name}, made at {made}, is read nowhere: construct ({construct}) does not compute with it, and the "
            "training learnt nothing.",
            name=name,
            made=at(made),
            construct=at(construct),
        ),
        Text(
            "在 construct 中使用它（例如把位置编码加到 embedding 上），或把它删去。",
            "Compute with it in construct, as positions are added to an embedding, or leave it out.",
        ),
        run_data.code_at([construct, made], Text("construct 与该张量", "construct, and the tensor")),
        [construct, made],
    )
