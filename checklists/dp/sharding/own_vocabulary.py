"""Words, ids and categories that each rank numbers by its own part of the data (dp.05)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.dp.preprocessing_consistency.own_numbering import Numbering, numberings
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData
from msprec.source.user_code import bound_names, bound_to

_RANK = re.compile(r"\b\w*rank\w*\b|\bshard_?id\b", re.IGNORECASE)


def numbered_apart(run_data: RunData) -> Optional[Finding]:
    """Problem: a numbering of words, ids or categories is made of data that were cut by the rank, so that the same number means
    another word on each rank, and the gradients of these are added up; undecided where members are numbered in sorted order,
    which gives the same numbers as long as all ranks have the same members."""
    for file in run_data.source.trees:
        for one in numberings(run_data, file):
            if _cut_by_rank(run_data, file, one):
                return _finding(run_data, one)
    return None


def _cut_by_rank(run_data: RunData, file: str, one: Numbering) -> bool:
    """Whether what is numbered was last given the rows of a slice that names the rank."""
    stores = [
        node
        for node in run_data.source.nodes(file, ast.Assign)
        if one.array in bound_names(node.targets) and node.lineno <= (one.place.line or 0)
    ]
    value = bound_to(stores[-1], one.array) if stores else None
    slices = [part.slice for part in ast.walk(value) if isinstance(part, ast.Subscript)] if value is not None else []
    return any(isinstance(part, ast.Slice) and _RANK.search(ast.unparse(part)) for part in slices)


def _finding(run_data: RunData, one: Numbering) -> Finding:
    places = [where for where in (one.place, one.inside) if where]
    says = Text(
        "{name} 按每个 rank 自己那一份数据 {array} 编号（{here}）：同一个编号在各 rank 上是不同的词（id 或类别），"
        "而它们的梯度被加在一起。",
        "{name} numbers {array}, each rank's own part of the data ({here}): the same number is another word, id or class on each "
        "rank, and their gradients are added up.",
        name=one.made_by,
        array=one.array,
        here=at(one.place),
    )
    advice = Text(
        "先用全部训练数据建立词表（或编码器），再按 rank 划分数据。",
        "Build the vocabulary or encoder from the whole training set, and divide the data among the ranks afterwards.",
    )
    shown = [run_data.code_at(places, Text("编号之处", "Where they are numbered"))]
    return (undecided if one.by_value else problem)(says, advice, shown, places)
