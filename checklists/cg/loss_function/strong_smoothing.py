"""A label smoothing after which hardly anything of the labels is left (cg.04)."""

import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.engine.run_data import RunData

_SETTING = re.compile(r"\blabel_smoothing=([\d.]+)")
_NAME = ArgumentName(("label_smoothing",), 99)


def check_smoothing(run_data: RunData) -> Optional[Wrong]:
    """What is wrong, where a loss is made with a label smoothing of cg.04.smoothing or more; else None."""
    for loss in run_data.losses:
        given = _SETTING.search(loss.args or "")
        share = float(given.group(1)) if given else 0.0
        if share < run_data.limit("cg.04.smoothing"):
            continue
        return Wrong(
            Text(
                "{name} 的 label_smoothing 为 {share}：目标中属于标签的只剩 {left}，其余平均分给所有类别，网络学不到把握。",
                "The label smoothing of {name} is {share}: only {left} of the target is left to the label, the rest is spread "
                "over all classes, and the network never becomes sure.",
                name=loss.class_,
                share=share,
                left=float(f"{1 - share:.2g}"),
            ),
            Text("用 0 到 0.1。", "Take 0 to 0.1."),
            loss.place,
            *argument_origin(run_data, loss.place, _NAME, loss.class_ or ""),
        )
    return None
