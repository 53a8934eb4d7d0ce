"""``requires_grad`` of a cell: an attribute that MindSpore does not read (cg.02)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name


def set_on_cell(run_data: RunData) -> Optional[Finding]:
    """Problem: the code sets ``requires_grad`` of a cell in place of its parameters, and these are not what it says: frozen still
    (True), or trained all the same (False); else None."""
    cells = [one.path for network in run_data.networks for one in network.cells if one.path]
    parts = {part for path in cells for part in path.split(".")}
    for file, node, name, frees in _settings(run_data):
        of_network = name in _networks(run_data, file)
        if name not in parts and not of_network:
            continue
        held = [one for one in run_data.parameters if of_network or name in one.name.split(".")[:-1]]
        wrong = [one for one in held if (one.requires_grad is False if frees else one.requires_grad and one.moved.any)]
        if wrong and len(wrong) == len(held):
            return _finding(run_data, place(file, node.lineno), name, frees, wrong)
    return None


def _settings(run_data: RunData) -> Iterator[tuple]:
    """``(file, assignment, name of what it is set on, value)`` of ``x.requires_grad = True`` and ``a.x.requires_grad = …``."""
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.Assign):
            target = node.targets[0]
            if not isinstance(target, ast.Attribute) or target.attr != "requires_grad":
                continue
            owner, value = target.value, getattr(node.value, "value", None)
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if name and isinstance(value, bool):
                yield file, node, name, value


def _networks(run_data: RunData, file: str) -> set:
    """Names that are given a network of the run."""
    classes = {network.class_ for network in run_data.networks}
    return {
        target.id
        for node in run_data.source.nodes(file, ast.Assign)
        if isinstance(node.value, ast.Call) and called_name(node.value) in classes
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _finding(run_data: RunData, where: Fact, name: str, frees: bool, parameters: list) -> Finding:
    effect = (
        Text("{n} 个参数仍被冻结，不再学习", "its {n} parameters stay frozen and learn nothing more", n=len(parameters))
        if frees
        else Text("{n} 个参数照样被训练", "its {n} parameters trained all the same", n=len(parameters))
    )
    return problem(
        Text(
            "{where} 把 {name} 这个 Cell 的 requires_grad 设为 {value}：Cell 的这个属性没有作用，{effect}（{names}）。",
            "{where} sets requires_grad of the cell {name} to {value}: of a cell that attribute has no effect, and {effect} "
            "({names}).",
            where=at(where),
            name=name,
            value=str(frees),
            effect=effect,
            names=listed(one.name for one in parameters),
        ),
        Text(
            "对 Cell 的每个参数设置：for p in {name}.get_parameters(): p.requires_grad = {value}，然后再创建优化器和求导函数。",
            "Set it on each parameter, `for p in {name}.get_parameters(): p.requires_grad = {value}`, before optimizer and "
            "gradient function are made.",
            name=name,
            value=str(frees),
        ),
        [run_data.code_at([where], Text("设置之处", "Where it is set"))],
        [where],
    )
