"""A generator whose last activation cannot give what the real samples are (cg.04)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.loss_with_inputs import range_of
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.script.array_origin import array_origins
from msprec.engine.run_data import RunData


def check_generator_range(run_data: RunData) -> Optional[Wrong]:
    """What is wrong, where of the numbers of the real samples a share of cg.04.unmade or more lies beyond the range of what the
    same layer was given by other layers; else None."""
    share = run_data.limit("cg.04.unmade")
    found = [one for one in run_data.probes.made_and_real if one.elements and (one.beyond or 0) >= share * one.elements]
    if not found:
        return None
    one = found[0]
    origins = [
        place
        for data in run_data.datasets_of("train")
        for column in data.columns
        if column.min is not None and column.min <= one.min and column.max >= one.max
        for place in array_origins(run_data, data, column)
    ]
    return Wrong(
        Text(
            "同一个网络既判别真实样本，也判别生成的样本：生成的样本经过 {operator}，只能在 {range} 内，而真实样本从 {low} 到 "
            "{high}，{count}/{elements} 个数值超出这个范围。生成器永远做不到，判别器一眼就能分辨。",
            "One network is shown both real samples and made ones: those that are made go through {operator} and lie in {range}, "
            "the real ones run from {low} to {high}, {count} of {elements} numbers beyond that range. The generator can never "
            "make them, and they are told apart at a glance.",
            operator=one.operator,
            range=range_of(one),
            low=one.min,
            high=one.max,
            count=one.beyond,
            elements=one.elements,
        ),
        Text(
            "把真实样本缩放到 {range} 内（生成之后再换算回来），或去掉生成器最后的 {operator}。",
            "Scale the real samples into {range} and what is made back again, or take {operator} off the generator's end.",
            operator=one.operator,
            range=range_of(one),
        ),
        one.place or one.created,
        one.real_place,
        *origins[:2],
    )
