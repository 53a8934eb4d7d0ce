"""Targets of a sequence that lie one or two places beside the tokens that they follow from (td.05)."""

import re
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import first_place, label_column, train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.constant_prediction import learnt_well
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData


def targets_beside_tokens(run_data: RunData) -> Optional[Finding]:
    """A problem where targets follow from the token beside, the training has not learnt them, and marks around the text have
    moved the tokens and not the targets; undecided without such marks; None where targets belong to their own token.

    They follow from the token beside where the most frequent target of that token is right in td.05.beside of the places, and
    where the own token makes up less than td.05.own of what this gains over the most frequent target of all. Targets that are
    tokens themselves are what a language model predicts: not looked at. A class of the next token, to be predicted from those
    before it, looks the same: only the marks tell the two apart.
    """
    facts = run_data.probes.token_targets
    if None in (facts.own, facts.shifted, facts.constant, facts.same) or facts.same >= run_data.limit("td.05.beside"):
        return None
    gain = facts.shifted - facts.constant
    follows = facts.shifted >= run_data.limit("td.05.beside") and gain >= run_data.limit("td.05.gain")
    if not follows or facts.own - facts.constant >= run_data.limit("td.05.own") * gain or learnt_well(run_data):
        return None
    sure = facts.marks is True and facts.shift == 1
    says = Text(
        "目标与 token 错开：位置 i 的目标由位置 i{shift} 的 token 可以猜对 {shifted}，由位置 i 自己的 token 只能猜对 {own}"
        "（最常见的目标占 {constant}），训练也没有学会{marks}。",
        "The targets lie beside their tokens: of the targets of place i the token of place i{shift} tells {shifted}, that "
        "of place i {own} (the most frequent target alone: {constant}), and the training has not learnt them{marks}.",
        shift=f"{int(facts.shift):+d}",
        shifted=percent(facts.shifted),
        own=percent(facts.own),
        constant=percent(facts.constant),
        marks=_MARKS if sure else Text("", ""),
    )
    places = _places(run_data)
    shown = [run_data.code_at(places, Text("序列与目标的构造", "Where sequences and targets are made"))]
    if sure:
        return problem(says, _ADVICE, shown, places)
    return undecided(says, _OPEN, shown, places)


_MARKS = Text(
    "；每个样本都以同一个标记开头和结尾，目标却从开头的标记算起，最后一个词没有目标",
    ": every sample begins and ends with a mark, and the first mark has a target while the last word has none",
)
_ADVICE = Text(
    "给序列加上 [CLS]、BOS 之类的标记时，在目标的相同位置补上忽略值（如 ignore_index）。",
    "Where marks such as [CLS] or BOS are put around a sequence, put the ignored value (ignore_index) in the same places of its "
    "targets.",
)
_OPEN = Text(
    "若要给每个 token 自己打标签，请把目标移到它们的 token 上；若要由前面的 token 预测后面 token 的类别，则没有问题。",
    "Where each token is to be labelled, move the targets to their tokens; where the class of a later token is to be predicted "
    "from those before it, nothing is wrong.",
)


def _places(run_data: RunData) -> list:
    found = []
    for dataset in train_sets(run_data):
        column = label_column(dataset)
        if column is not None:
            found += run_data.find_lines(rf"^\s*{re.escape(column.name)}\s*=[^=]", 2)
            found += array_origins(run_data, dataset, column)[:2]
        found.append(first_place(dataset))
    return [one for one in found if one]
