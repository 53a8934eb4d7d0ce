"""Targets of several labels that were divided by their number, given to a binary cross entropy (cg.04)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.loss_rules import loss_lines
from msprec.checklists.common.loss.shared_targets import are_shared
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.array_origin import label_origins
from msprec.engine.run_data import RunData


def check_shared_labels(run_data: RunData) -> Optional[Wrong]:
    """A binary cross entropy whose targets add up to 1 in each row, where several labels hold at once: each label is asked for by
    a share, a half of two, and its best probability is that share."""
    for one in run_data.probes.losses:
        if are_shared(one):
            return Wrong(
                Text(
                    "{name}（{where}）逐个标签比较，而目标的每一行相加为 1（几个标签平分 1）：每个标签的最优概率只是它的份额，"
                    "两个标签时只有一半。",
                    "{name} ({where}) asks of each label whether it holds, and each row of its targets adds up to 1, shared by "
                    "the labels that hold: the best probability of a label is its share, a half where there are two.",
                    name=one.name,
                    where=at(one.place),
                ),
                Text(
                    "目标用 0/1 的 multi-hot，不要除以标签的个数。",
                    "Give 0 and 1 for each label, and do not divide by the number of labels.",
                ),
                *label_origins(run_data)[:4],
                *loss_lines(run_data, one.name),
                one.place,
            )
    return None
