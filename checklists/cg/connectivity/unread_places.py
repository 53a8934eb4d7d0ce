"""A sequence of which only the first or the last few places are read (cg.03)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import root_name


def judge_unread_places(run_data: RunData) -> Optional[Finding]:
    """A problem where of the places of an input cg.03.read_places of them, or two, change the loss; None where they are the last
    ones and a recurrent layer ran, which may have forgotten the others."""
    for one in run_data.probes.unread_places:
        size = one.shape[one.axis] if one.shape and one.axis else 0
        few = size and (one.read or 0) <= max(2, run_data.limit("cg.03.read_places") * size)
        if few and one.place and not (one.forgets and one.unread == "first"):
            return _finding(run_data, one, size)
    return None


def _finding(run_data: RunData, one: Fact, size: int) -> Finding:
    places = [*(pad for pad in one.pads if pad), one.place, *_taken_of_list(run_data, one.place)]
    first = one.unread == "last"
    return problem(
        Text(
            "形状为 {shape} 的输入在第 {axis} 轴上有 {size} 个位置，只有{side} {n} 个影响 loss：把其余位置换成别的样本的值，"
            "loss 不变；它们在 {where}（{operator}）处丢失。",
            "Of the {size} places along axis {axis} of an input of shape {shape} the {side} {n} alone change the loss: "
            "with those of other samples in the place of the rest it stays the same; they are lost at {where} ({operator}).",
            shape=one.shape,
            axis=one.axis,
            size=size,
            side=Text("最前面的", "first") if first else Text("最后面的", "last"),
            n=one.read,
            where=at(one.place),
            operator=one.operator,
        ),
        Text(
            "检查所取的是哪一个时间步，循环层和卷积是朝哪个方向走的，以及补零在哪一端：因果卷积在前面补零。",
            "Look at which step is taken, at the way that recurrent layers and convolutions go, and at the end that is padded: a "
            "causal convolution is padded in front.",
        ),
        [run_data.code_at(places, Text("位置丢失之处", "Where the places are lost"))],
        places,
    )


def _taken_of_list(run_data: RunData, where: Fact) -> list:
    """Where the function around a line takes one element, by a number, of a list that it appends to step by step."""
    function = run_data.source.function_around(where.file, where.line) if where.file else None
    nodes = list(ast.walk(function)) if function is not None else []
    grown = {
        root_name(one.func)
        for one in nodes
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "append"
    }
    taken = [
        one
        for one in nodes
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id in grown
    ]
    return [place(where.file, one.lineno) for one in taken if _is_number(one.slice)][:2]


def _is_number(index: ast.expr) -> bool:
    number = index.operand if isinstance(index, ast.UnaryOp) else index
    return isinstance(number, ast.Constant) and type(number.value) is int
