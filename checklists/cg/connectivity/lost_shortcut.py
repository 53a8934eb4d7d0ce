"""A residual block whose shortcut is never added (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.own_classes import own_class_names
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import FunctionNode, called_name, construct_of

#: Names of what a residual block keeps of its input, and of such blocks.
_SHORTCUT = re.compile(r"^(short_?cut|residual|identity|skip|res)(_?(x|in|input|out|path|connection))?$", re.IGNORECASE)
_BLOCK = re.compile(r"^_?(Res|Residual|Skip)_?(Block|Unit|Layer|Cell|Stage)\w*$")
_JOINS = re.compile(r"add|cat|concat|stack|sum", re.IGNORECASE)


def judge_lost_shortcut(run_data: RunData) -> Optional[Finding]:
    """A problem where the ``construct`` of a cell that trains keeps its input under a name such as ``shortcut`` and never reads
    it, or a class called a residual block adds and joins nothing, and no other ``construct`` of its file does."""
    for name in sorted(own_class_names(run_data)):
        for file, node in run_data.source.classes(name):
            construct = construct_of(node)
            if construct is None:
                continue
            lines = _kept(construct) or (
                [construct.lineno] if _BLOCK.search(name) and not _joins(run_data, file) else []
            )
            if lines:
                backs = [one.lineno for one in ast.walk(construct) if isinstance(one, ast.Return)]
                return _finding(run_data, name, [place(file, line) for line in (*backs[:1], *lines)])
    return None


def _finding(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{name} 没有把输入加回来（{where}）：残差连接丢失，网络只是普通的深层堆叠。",
            "{name} does not add its input to what it computes ({where}): the residual connection is lost, and the network is a "
            "plain stack of layers.",
            name=name,
            where=at(places[0]),
        ),
        Text("返回 x + f(x)（激活放在相加之后）。", "Return x + f(x), with the activation behind the sum."),
        run_data.code_at(places, Text("残差块", "The block")),
        places,
    )


def _kept(construct: FunctionNode) -> list:
    """Lines that bind a shortcut which is never read."""
    held = [one for one in ast.walk(construct) if isinstance(one, ast.Name) and _SHORTCUT.search(one.id)]
    read = {one.id for one in held if isinstance(one.ctx, ast.Load)}
    return sorted(one.lineno for one in held if isinstance(one.ctx, ast.Store) and one.id not in read)


def _joins(run_data: RunData, file: str) -> bool:
    """Whether a ``construct`` of the file adds or joins anything."""
    constructs = [one for one in run_data.source.nodes(file, ast.FunctionDef) if one.name == "construct"]
    parts = [part for one in constructs for part in ast.walk(one)]
    added = any(isinstance(part, (ast.BinOp, ast.AugAssign)) and isinstance(part.op, ast.Add) for part in parts)
    return added or any(isinstance(part, ast.Call) and _JOINS.search(called_name(part)) for part in parts)
