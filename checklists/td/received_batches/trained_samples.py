"""Samples that a script evaluates on which were among those that it trained on (td.05)."""

import re
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.checklists.common.training.training_segments import last_training_start
from msprec.checklists.common.training.whole_graph import whole_graph
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: What makes further samples of those there are, and what parts samples.
_COPIES = (
    r"\bnp\.(repeat|tile)\(|\bresample\(|\.sample\(.*replace\s*=\s*True|\bchoice\(.*replace\s*=\s*True|\bover_?sampl"
)
_ADDED = r"\b(concatenate|vstack|concat|r_\[)"
_JOINS = r"\b(concatenate|vstack|concat|r_\[|append|extend)\b"
_SPLITS = r"train_test_split\(|random_split\(|\.split\(|(?i:\b\w*(train|te?st|val|held)\w*\s*(,.*)?=[^=].*\[[^\]]*:)"
#: A word of a line that calls its samples held out.
_HELD_OUT = re.compile(
    r"(?i)(^|[^a-z])(x_?)?(te(st)?|tst|va(l(id(ation)?)?)?|held_?out|hold_?out|unseen|dev)(_?x)?([^a-z]|$)"
)
#: Settings in which inputs without labels are rightly trained on.
_WITHOUT_LABELS = r"(?i)unlabel|semi_?supervis|transduct|domain|self_?supervis|pseudo|pretrain"


def trained_samples(run_data: RunData) -> Optional[Finding]:
    """A problem where a part of what was evaluated after training, td.05.evaluated samples or more that do not agree by chance
    (td.05.bits), is among the training samples, though not most of these; or all of it, and the script calls it held out."""
    if learns_by_rewards(run_data) or last_training_start(run_data) or len(run_data.optimizers) > 1:
        return None
    if any(whole_graph(run_data, one) for one in train_sets(run_data)):
        return None  # nodes that are kept back are in the graph that is trained on
    for group in run_data.trained_samples:
        partly = _partly(run_data, group) and not _drawn_again(run_data, group)
        if _unlike(run_data, group) and (partly or _called_held_out(run_data, group)):
            return _finding(run_data, group)
    return None


def _unlike(run_data: RunData, group: Fact) -> bool:
    """Whether samples agree only where they are the same, and it is not the training data that are looked at once more."""
    enough = (group.distinct or 0) >= run_data.limit("td.05.evaluated") and (group.bits or 0) >= run_data.limit(
        "td.05.bits"
    )
    return enough and group.trained_on <= 0.5 * group.training


def _partly(run_data: RunData, group: Fact) -> bool:
    share = group.trained_on / group.distinct
    drawn = share > 0.6 and group.distinct < 0.1 * group.training  # some of all data, to show them
    return run_data.limit("td.05.leaked") <= share < 0.99 and not drawn


def _drawn_again(run_data: RunData, group: Fact) -> bool:
    """Whether the evaluated samples repeat among themselves (td.05.repeated, or as often as pairs that agree by chance make
    td.05.by_chance of what was found), and nothing in the source copies samples or joins arrays: of the few that there are, as
    of short rows of symbols, the same are drawn again."""
    samples = max(group.distinct, group.samples or 0)
    pairs = samples - group.distinct  # of samples ** 2 / 2
    expected = 2 * pairs / samples * group.training
    often = pairs / samples >= run_data.limit("td.05.repeated")
    often = often or (pairs >= 3 and expected >= run_data.limit("td.05.by_chance") * group.trained_on)
    return often and not run_data.find_lines(f"{_COPIES}|{_ADDED}", 1)


def _called_held_out(run_data: RunData, group: Fact) -> bool:
    if (
        group.trained_on < 0.99 * group.distinct
        or len(train_sets(run_data)) > 1
        or run_data.find_lines(_WITHOUT_LABELS, 1)
    ):
        return False
    texts = [run_data.lines(one, 0) for one in group.places]
    return any(_HELD_OUT.search(" ".join(text[1])) for text in texts if text)


def _finding(run_data: RunData, group: Fact) -> Finding:
    copies = run_data.find_lines(_COPIES, 3) or run_data.find_lines(_JOINS, 2)
    places = [*copies, *run_data.find_lines(_SPLITS, 3), *group.places[:2]]
    return problem(
        Text(
            "训练结束后在 {where} 评估的 {n} 个不同样本中，有 {m} 个（{share}）是训练样本：评估结果不能说明对新样本的表现。",
            "Of {n} different samples evaluated at {where} after training, {m} ({share}) were among the training samples: "
            "the result says little of new ones.",
            where=at(group.places[0]) if group.places else "?",
            n=group.distinct,
            m=group.trained_on,
            share=percent(group.trained_on / group.distinct),
        ),
        Text(
            "先划分、再复制或增强：过采样、重复和增广只用于训练部分；核对划分的下标不相交。",
            "Split first, then copy: oversample, repeat and augment the training part alone, and see that the indices of the "
            "parts are disjoint.",
        ),
        [run_data.code_at(places, Text("复制与划分之处", "Where samples are copied and split"))],
        places,
    )
