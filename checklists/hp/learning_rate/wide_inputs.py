"""Inputs so far from unit scale that they alone put a rate beyond its bound (hp.01)."""

from operator import itemgetter
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.input_scale import entering, feature_columns
from msprec.checklists.common.findings import first_place, train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.given_gradients import SCALE_FREE
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.range_test.lr_curve import Curve


class WideInput(NamedTuple):
    """A column whose mean square is ``square``, and where its values come from."""

    name: str
    square: float
    places: list

    @property
    def says(self) -> Text:
        return Text(
            "；或先把输入 {name} 标准化：它的均方值为 {square}，梯度下降在第一层能承受的学习率与之成反比",
            "; or standardise the input {name} first: its mean square is {square}, and the rate that gradient descent bears in "
            "the first layer is inversely proportional to it",
            name=self.name,
            square=float(f"{self.square:.3g}"),
        )


def wide_input(run_data: RunData, used: Optional[float], curve: Optional[Curve]) -> Optional[WideInput]:
    """The input column with the largest mean square of a feature, where that exceeds how far the rate lies beyond the range
    test's upper bound (and hp.01.wide): standardised, it would bring the rate within the bound.

    Of a linear layer the curvature of a squared error is the mean square of its inputs, and gradient descent diverges beyond
    2 / curvature (LeCun, Bottou, Orr and Müller 1998, "Efficient BackProp"). An optimizer that normalises its steps: None.
    """
    upper = curve.upper if curve is not None else None
    optimizers = [one for one in run_data.optimizers if one.used is not False]
    if not used or not upper or any(SCALE_FREE.search(one.class_ or "") for one in optimizers):
        return None
    found = [
        (square, dataset, column)
        for dataset in train_sets(run_data)
        for column in entering(run_data, feature_columns(dataset))
        if column.kind == "float" and (square := _square(column)) is not None
    ]
    if not found:
        return None
    square, dataset, column = max(found, key=itemgetter(0))
    if square < max(used / upper, run_data.limit("hp.01.wide")):
        return None
    return WideInput(column.name or "", square, [first_place(dataset), *array_origins(run_data, dataset, column)[:3]])


def _square(column: Fact) -> Optional[float]:
    means, stds = column.channels.mean or [column.mean], column.channels.std or [column.std]
    known = [mean**2 + std**2 for mean, std in zip(means, stds) if None not in (mean, std)]
    return max(known, default=None)
