"""Pictures turned at random whose class the turning changes (td.05)."""

import ast
import math
import re
from typing import Optional

from msprec.bilingual import Text, listed, percent
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.training.simple_predictors import labels_by_chance
from msprec.checklists.td.outcome.assessment import assess
from msprec.checklists.td.received_batches.turned_targets import TURNS
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

#: Lines that are looked through.
_MOST_LINES = 12
_RANDOM = re.compile(r"\b(rand\w*|uniform|integers|choice|binomial|coin|prob)\b|\brng\b|random")


def turned_classes(run_data: RunData) -> Optional[Finding]:
    """Problem: the code turns or mirrors pictures, and the nearest neighbours of two of several classes are of the one as often
    as of the other, or the network gives either of two half of what it gives both, in a training that learnt no more than which
    pair it is; or neighbours tell no more than chance in one that learnt nothing; else None."""
    control, outcome = run_data.probes.label_control, run_data.once(assess)
    pictures = any(len(one.shape) >= 2 for data in train_sets(run_data) for one in data.columns)
    if not pictures:
        return None
    alike = [" / ".join(pair) for pair in _pairs(run_data)] if _learnt_pairs_alone(run_data) else []
    if not alike and not (labels_by_chance(run_data) and outcome.state == "nothing" and outcome.sure):
        return None
    turns = at_random(run_data, run_data.find_lines(TURNS, _MOST_LINES))
    if not turns:
        return None
    return problem(
        Text(
            "图片在 {where} 被随机翻转或旋转，而类别随方向改变：{what}（最近邻与样本标签相同的只占 {agreement}）。",
            "Pictures are mirrored or turned at {where}, and their class changes with it: {what} (the nearest neighbour has a "
            "sample's label in {agreement} of the cases).",
            where=at(turns[0]),
            what=Text(
                "类 {pairs} 的样本彼此分不开",
                "samples of the classes {pairs} cannot be told apart",
                pairs=listed(alike),
            )
            if alike
            else Text("标签与图片没有关系", "the labels have nothing to do with the pictures"),
            agreement=percent(control.agreement),
        ),
        Text(
            "去掉会改变类别的翻转（如左右箭头、6 与 9），或随之改变标签。",
            "Leave out what changes the class (arrows to the left and right, 6 and 9), or change the label with it.",
        ),
        [run_data.code_at(turns, Text("翻转之处", "Where they are turned"))],
        turns,
    )


def at_random(run_data: RunData, turns: list) -> list:
    """Those of the lines that stand below a condition on a random number, as an augmentation does; the first ones where none is
    known to."""
    chosen = []
    for where in turns:
        tests = [
            one.test
            for one in run_data.source.nodes(where.file, ast.If, ast.IfExp)
            if one.lineno <= where.line <= (one.end_lineno or 0)
        ]
        chosen += [where] if any(_RANDOM.search(ast.unparse(one)) for one in tests) else []
    return (chosen or turns)[:3]


def _pairs(run_data: RunData) -> list:
    """Pairs of classes that neither neighbours nor, where these tell none, the network can tell apart."""
    return run_data.probes.label_control.alike or run_data.probes.labels.alike or []


def _learnt_pairs_alone(run_data: RunData) -> bool:
    """Whether the loss ended no lower than td.05.pairs of what it is where either class of a pair is given one half."""
    alike = {name for pair in _pairs(run_data) for name in pair}
    counts: dict = {}
    for data in train_sets(run_data):
        for name, count in data.label.counts.items() if data.label.kind in ("class", "one_hot") else ():
            counts[name] = counts.get(name, 0) + count
    end, whole = run_data.once(assess).end, sum(counts.values())
    if end is None or not whole:
        return False
    halves = sum(count for name, count in counts.items() if name in alike) / whole
    return end >= run_data.limit("td.05.pairs") * halves * math.log(2) > 0
