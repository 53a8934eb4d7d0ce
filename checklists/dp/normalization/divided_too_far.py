"""Values that were divided by 255 although they did not reach so far (dp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.transforms import Prepared, by_column
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: The largest value of a byte, and the largest value at which it is the wrong divisor for certain.
_BYTE, _MOST = 255, 64
#: Values of a float32 that were whole numbers before the division.
_CLOSE = 1e-3
_DIVIDES = r"(?<![\w.])255(\.0*)?(?![\w.])"


def divided_too_far(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """A problem where a column of a training set runs from 0 to a whole number of 2 to 64 over 255, as the digits of scikit-learn
    do, which run to 16, and the code divides by 255, before a Normalize or without one."""
    for column in dataset.columns:
        top, where = _largest(dataset, column) or (0.0, None)
        whole = 2 <= top <= _MOST and abs(top - round(top)) < _CLOSE
        lines = [where] if whole and where else run_data.find_lines(_DIVIDES, 3) if whole else []
        if lines:
            return problem(
                Text(
                    "数值除以 255，而它们原来只到 {top}：列 {name} 只在 {min} 到 {max} 之间。",
                    "Values are divided by 255 that run to {top} only: column {name} lies between {min} and {max}.",
                    top=round(top),
                    name=column.name,
                    min=float(f"{column.min:.4g}"),
                    max=float(f"{column.max:.4g}"),
                ),
                Text(
                    "除以数据真正的最大值（{top}），或用训练集的均值和标准差标准化。",
                    "Divide by the largest value that the data have ({top}), or standardise by the training set's statistics.",
                    top=round(top),
                ),
                [run_data.code_at(lines, Text("除以 255 之处", "Where they are divided"))],
                lines,
            )
    return None


def _largest(dataset: Fact, column: Fact) -> Optional[tuple]:
    """``(largest value before a division by 255, where the pipeline divides or None)`` of values that begin at 0; None of others,
    and where what the pipeline does to them cannot be undone."""
    if column.kind != "float" or None in (column.min, column.max):
        return None
    done = Prepared(by_column(dataset).get(column.name or "", []))
    ends = list(zip(column.channels.min or [], column.channels.max or []))
    ends = ends if len(ends) == len(done.a) else [(column.min, column.max)]
    if done.opaque or len(ends) != len(done.a) or min(done.a) <= 0:
        return (column.max * _BYTE, None) if column.min == 0 else None
    raw = [((low - b) / a, (high - b) / a) for (low, high), a, b in zip(ends, done.a, done.b)]
    low, high = min(one for one, _ in raw), max(one for _, one in raw)
    where = next(
        (one.place for one in done.operations if one.name == "ToTensor" or _is_byte(one.args.get("rescale"))), None
    )
    scale = _BYTE if where is None else 1
    return (high * scale, where) if abs(low * scale) < _CLOSE else None


def _is_byte(factor) -> bool:
    """Whether it is 1 / 255."""
    return isinstance(factor, (int, float)) and abs(factor * _BYTE - 1) < _CLOSE
