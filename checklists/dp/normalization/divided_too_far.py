"""Values that were divided by 255 although they did not reach so far (dp.01)."""

from typing import Optional

from msprec.bilingual import Text
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
    do, which run to 16, and the code divides by 255."""
    for column in dataset.columns:
        if column.kind != "float" or column.min != 0 or column.max is None:
            continue
        top = column.max * _BYTE
        lines = run_data.find_lines(_DIVIDES, 3) if 2 <= top <= _MOST and abs(top - round(top)) < _CLOSE else []
        if lines:
            return problem(
                Text(
                    "数值除以 255，而它们原来只到 {top}：列 {name} 只在 0 到 {max} 之间。",
                    "Values are divided by 255 that run to {top} only: column {name} lies between 0 and {max}.",
                    top=round(top),
                    name=column.name,
                    max=float(f"{column.max:.4g}"),
                ),
                Text(
                    "除以数据真正的最大值（{top}），或用训练集的均值和标准差标准化。",
                    "Divide by the largest value that the data have ({top}), or standardise by the training set's statistics.",
                    top=round(top),
                ),
                [run_data.code_at(lines, Text("255 所在之处", "Where 255 stands"))],
                lines,
            )
    return None
