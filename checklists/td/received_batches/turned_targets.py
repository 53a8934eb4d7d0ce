"""Masks and other picture targets that lie as the mirrored or turned picture would (td.05)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import first_place, train_sets
from msprec.checklists.common.script.call_sites import calls_around
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData, place

_NAMES = {
    "left to right": Text("左右翻转", "mirrored left to right"),
    "top to bottom": Text("上下翻转", "mirrored top to bottom"),
    "by 180 degrees": Text("旋转 180 度", "turned by 180 degrees"),
    "transposed": Text("转置", "transposed"),
    "by 90 degrees": Text("旋转 90 度", "turned by 90 degrees"),
    "by 270 degrees": Text("旋转 270 度", "turned by 270 degrees"),
}
#: What random flips of both axes bring about, random quarter turns, and a transpose.
_GROUPS = (
    ("left to right", "top to bottom", "by 180 degrees"),
    ("by 90 degrees", "by 180 degrees", "by 270 degrees"),
    ("transposed",),
)
#: What mirrors or turns a picture.
TURNS = (
    r"(?i)::\s*-1|\b(fliplr|flipud|rot90|Horizontal_?Flip|Vertical_?Flip|Random_?Rotation|(h|v)flip)\b|\b(np|ops|mnp|mint|F|cv2)\.flip\("
    r"|\bRandom(Horizontal|Vertical)Flip\w*\("
)


def turned_targets(run_data: RunData) -> Optional[Finding]:
    """A problem where the targets of some samples fit their picture as it came and those of others one way of turning it far
    better, and the source turns pictures; undecided where nothing in the source does.

    Both shares have to be td.05.turned of the samples whose orientation is clear (td.05.clear of them at the least): what
    pictures have in common, such as light from one side, would favour one alone. All other orientations together stay below
    td.05.otherwise: targets that have nothing to do with their pictures fit any of them by chance; unless the source turns one
    of two arrays in a statement that hands on the other as it is.
    """
    facts = run_data.probes.orientation
    counts = {one.turn: one.samples for one in facts.fits}
    clear, limit = sum(counts.values()), run_data.limit("td.05.turned")
    if clear < run_data.limit("td.05.clear") or counts.get("as given", 0) < limit * clear:
        return None
    alone = _one_of_a_pair(run_data)
    if alone and clear - counts["as given"] >= limit * clear:
        return _finding(
            run_data, 1 - counts["as given"] / clear, Text("翻转或旋转", "mirrored or turned"), clear, alone
        )
    turned = max(
        ([(n, name) for name, n in counts.items() if name in group and n >= limit * clear] for group in _GROUPS),
        key=lambda found: sum(n for n, _ in found),
    )
    rest = clear - counts["as given"] - sum(n for n, _ in turned)
    several = len(turned) > 1 and not facts.square  # four of the four that a picture of unequal sides has
    if not turned or several or rest > run_data.limit("td.05.otherwise") * clear:
        return None
    share, name = max(turned)
    return _finding(run_data, share / clear, _NAMES[name], clear, run_data.find_lines(TURNS, 4))


def _one_of_a_pair(run_data: RunData) -> list:
    """Places of ``a, b = turned(a), b``: of two arrays one is turned and the other is handed on as it is."""
    found = []
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.Assign):
            target, value = node.targets[0], node.value
            if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(value.elts) != 2:
                continue
            turned = [bool(re.search(TURNS, ast.unparse(one))) for one in value.elts]
            kept = [ast.unparse(one) == ast.unparse(name) for one, name in zip(value.elts, target.elts)]
            if sorted(turned) == [False, True] and kept[turned.index(False)]:
                found.append(place(file, node.lineno))
    return found


def _finding(run_data: RunData, share: float, turn: Text, clear: int, hits: list) -> Finding:
    calls = {(call.file, call.line): call for one in hits for call in calls_around(run_data, one)}
    hits = [*hits, *list(calls.values())[:4]]
    says = Text(
        "{share}的样本的目标（掩码）与{turn}后的图像吻合，而与收到的图像不吻合，其余样本的目标与图像方向一致（{n} 个样本）："
        "随机翻转只作用于图像或只作用于目标。",
        "The targets of {share} of the samples fit their picture {turn}, and not as it is; those of others fit it as it is ({n} "
        "samples): pictures are turned at random without their targets, or targets without their pictures.",
        share=percent(share),
        turn=turn,
        n=clear,
    )
    advice = Text(
        "用同一次随机决定翻转图像和目标：在同一个函数里处理两列，或把它们拼接后一起变换。",
        "Turn picture and target by one and the same draw: in one function of both columns, or joined into one array.",
    )
    if not hits:
        return undecided(says, advice, [], [one for one in map(first_place, train_sets(run_data)) if one])
    return problem(says, advice, [run_data.code_at(hits, Text("翻转或旋转之处", "Where something is turned"))], hits)
