"""Losses whose targets are to be 1 and -1, and are given 1 and 0 (cg.04)."""

from msprec.bilingual import Text, percent
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.array_origin import label_origins
from msprec.engine.run_data import RunData


def unsigned_targets(run_data: RunData) -> list:
    """`Wrong` of each such loss whose targets are 0 where they should be -1: by its formula it is constant or zero there.

    A target of 0 beside both 1 and -1 is taken for meant, as of pairs that are to count for nothing.
    """
    return [
        Wrong(
            Text(
                "{name} 的目标应为 1 与 -1，而得到的是 1 与 0（{share} 为 0）：目标为 0 的样本不起作用，应当相异的从不被推开。",
                "{name} takes targets of 1 and -1 and is given 1 and 0 ({share} are 0): samples with a target of 0 "
                "teach nothing, and what should be told apart is never pushed apart.",
                name=one.name,
                share=percent(one.other / one.elements),
            ),
            Text("用 -1 代替 0，例如 2 * target - 1。", "Give -1 in place of 0, as by 2 * target - 1."),
            one.place,
            *label_origins(run_data),
        )
        for one in run_data.probes.signed_targets
        if one.elements and one.other and one.min == 0 and one.max == 1
    ]
