"""A loss that counts those places alone whose targets are one and the same number (cg.04)."""

import re
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.array_origin import argument_origins
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names


def check_masked_targets(run_data: RunData) -> Optional[Wrong]:
    """The loss multiplies the errors by a mask that is 1 where the targets hold one number alone."""
    one = run_data.probes.masked_targets
    if one.mask is None or one.place is None:
        return None
    steps = [step.place for step in run_data.train_steps if step.place and step.style == "functional"]
    made = [origin for step in steps for origin in argument_origins(run_data, step, one.mask)[:2]]
    return Wrong(
        Text(
            "{where} 用掩码乘以误差，而掩码为 1 的位置（{share}）上目标全都是 {value}：只需输出这个数，其余位置的目标从不计入",
            "{where} multiplies the errors by a mask that is 1 where the targets are all {value} ({share} of the places): "
            "putting out that number is all there is to learn, and the targets of the other places never count",
            where=at(one.place),
            share=percent(one.share or 0.0),
            value=one.value,
        ),
        Text(
            "掩码应在有目标的位置为 1：很可能写反了（1 - mask）。",
            "The mask has to be 1 where there is a target: it is probably the other way round (1 - mask).",
        ),
        one.place,
        *(made or _assigned(run_data, one.place, one.mask)),
    )


def _assigned(run_data: RunData, where: Fact, position: int) -> list:
    """The lines that give a value to the name which the function around a place has for its argument."""
    function = run_data.source.function_around(where.file, where.line)
    names = [one for one in argument_names(function) if one != "self"] if function is not None else []
    return run_data.find_lines(rf"^\s*{re.escape(names[position])}\s*=[^=]", 2) if position < len(names) else []
