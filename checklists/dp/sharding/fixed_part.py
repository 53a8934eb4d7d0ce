"""Data of which the code keeps the part of one rank of several, with numbers that are written down, on one device (dp.05)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import plain_number

_RANK = re.compile(r"(?i)(^|_)(rank|shard)(_?(id|index|idx|number))?$")
_RANKS = re.compile(
    r"(?i)(^|_)(rank|world|group|device|shard|replica|worker)s?_?(size|num|count|number)$|^(n|num)_(ranks|devices|shards)$"
)


def fixed_part(run_data: RunData) -> Optional[Finding]:
    """A problem where one device trains and an array is cut by ``x[RANK::RANK_SIZE]`` with two constants, the second above 1."""
    found = next(_cuts(run_data), None)
    if found is None:
        return None
    file, node, count, settings = found
    places = [place(file, node.lineno), *(place(file, line) for line in settings)]
    return problem(
        Text(
            "只有一个设备在训练，而代码按固定的设备数 {n} 切分数据（{what}）：其余 {share} 的数据没有进入训练。",
            "One device trains, yet the code cuts the data for {n} of them ({what}): {share} of them never reach the training.",
            n=count,
            what=ast.unparse(node),
            share=percent(1 - 1 / count),
        ),
        Text(
            "设备数和编号取自 get_group_size() 与 get_rank()，不要写成常数。",
            "Take the number of devices and the rank from get_group_size() and get_rank(), not from constants.",
        ),
        [run_data.code_at(places, Text("切分之处", "Where the data are cut"))],
        places,
    )


def _cuts(run_data: RunData) -> Iterator[tuple]:
    """``(file, subscript, number of ranks, lines of the settings)``."""
    for file in sorted(run_data.source.trees):
        for node in run_data.source.nodes(file, ast.Subscript):
            cut = node.slice
            if isinstance(cut, ast.Slice) and cut.lower is not None and cut.step is not None and cut.upper is None:
                rank, ranks = _setting(run_data, file, cut.lower, _RANK), _setting(run_data, file, cut.step, _RANKS)
                if rank and ranks and ranks[0] > 1:
                    yield file, node, int(ranks[0]), sorted({rank[1], ranks[1]})


def _setting(run_data: RunData, file: str, node: ast.expr, names: re.Pattern) -> Optional[tuple]:
    """``(number, line)`` of a name or attribute that is called so and is given one number in the file."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    value = run_data.source.only_value(file, name) if names.search(name) else None
    number = plain_number(value) if value is not None else None
    return (number, value.lineno) if value is not None and number is not None else None
