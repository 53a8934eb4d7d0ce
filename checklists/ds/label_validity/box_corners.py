"""Boxes whose corners are the other way round in a part of the samples (ds.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: What mirrors boxes, and pictures.
_BOXES = r"(?i)\b(1(\.0?)?|w|width|h|height)\s*-\s*\w*box"
_PICTURES = r"(?i)::\s*-1|\b(fliplr|flipud|Horizontal_?Flip|Vertical_?Flip|(h|v)flip|mirror\w*)\b"


def corners_exchanged(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """``(sentence, advice, places)`` where in ds.02.exchanged of the samples or more, but not in all, the second corner's number
    is the smaller one; else None."""
    facts = run_data.probes.box_corners
    of, limit = facts.samples or 0, run_data.limit("ds.02.exchanged")
    shares = [(n or 0) / of for n in facts.smaller] if of else []
    mixed = [axis for axis, share in enumerate(shares) if limit <= share <= 1 - limit]
    if not mixed or list(column.shape) != [4]:
        return None
    axis = mixed[0]
    return (
        Text(
            "标签列 {column} 是由两个角给出的框：{of} 个样本中有 {n} 个的第 {second} 个数小于第 {first} 个，其余的相反，而两者"
            "从不接近：这些框的{sides}颠倒了，如镜像之后没有交换两个角",
            "The boxes in {column} are given by two corners: in {n} of {of} samples number {second} is smaller than number "
            "{first}, in the others larger, and the two are never near each other. {sides} of these are exchanged, as where "
            "a mirrored box keeps its corners in their places",
            column=column.name,
            of=of,
            n=facts.smaller[axis],
            first=axis,
            second=axis + 2,
            sides=Text("上下", "Top and bottom") if axis else Text("左右", "Left and right"),
        ),
        Text(
            "镜像时交换两个角：x1, x2 = 1 - x2, 1 - x1。",
            "Exchange the corners where a box is mirrored: x1, x2 = 1 - x2, 1 - x1.",
        ),
        *run_data.find_lines(_BOXES, 2),
        *run_data.find_lines(_PICTURES, 2),
    )
