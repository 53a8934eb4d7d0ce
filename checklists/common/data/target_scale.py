"""Are the targets of a regression on a scale that the network's outputs can come to? (dp.01)"""

import math
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, loss_figure, op_place
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.constant_prediction import (
    REGRESSION,
    BesideConstant,
    LossKind,
    learning_outcome,
    loss_kind,
    target_column,
)
from msprec.checklists.common.training.simple_predictors import behind_simple_predictor
from msprec.checklists.common.training.training_curves import is_steep, training_curve
from msprec.engine.finding import Finding, problem, table
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Relative change of a weight by which a rate was large enough to move it.
_MOVED = 0.1


def target_scale(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """The problem with targets that are far too large, or None.

    Those of dp.01.far_target are too large where a training that moved its weights learnt nothing and did not come half way
    to their mean. They count as they enter the loss: where the labels of a captured batch are not values of the column,
    something scales them on their way. A network that puts out values of that size, or that learnt them all the same, has no
    problem; one that stayed behind a simple predictor (dp.01.behind) did not.
    """
    loss = run_data.once(loss_kind)
    if loss is None or loss.kind not in REGRESSION:
        return None
    column = target_column(run_data, loss, dataset)
    if column is None or None in (column.mean, column.std) or column.kind not in ("float", "int"):
        return None
    size, usual = math.hypot(column.mean, column.std), run_data.limit("dp.01.target")
    if size < min(usual, run_data.limit("dp.01.far_target")):
        return None
    outcome, reached = learning_outcome(run_data), _largest_output(loss)
    if size < usual:
        far = _far_from_mean(run_data, loss, column, outcome)
        return _too_large(run_data, dataset, column, size, reached, outcome) if far else None
    small = reached is not None and reached * usual <= size
    failed = outcome.verdict in ("nothing", "hardly", "diverged") or _never_finite(run_data)
    learnt = outcome.verdict == "learnt" and behind_simple_predictor(run_data, outcome, "dp.01.behind") is None
    if learnt or not (small or failed):
        return None
    return _too_large(run_data, dataset, column, size, reached, outcome)


def _far_from_mean(run_data: RunData, loss: LossKind, column: Fact, outcome: BesideConstant) -> bool:
    """Whether weights that moved left the outputs more than half of the way from the targets' mean, as the last error says; or
    half a standard deviation from it while the loss still fell steeply."""
    if outcome.verdict != "nothing" or outcome.end is None or loss.kind == "rmse":
        return False
    beyond = max(outcome.end - outcome.constant_value, 0.0)
    left = math.sqrt(beyond) if loss.kind == "mse" else beyond
    moved = [one.moved.relative or 0.0 for one in run_data.parameters if one.kind == "weight"]
    curve = training_curve(run_data)
    on_its_way = left >= column.std / 2 and curve is not None and is_steep(run_data, curve)
    far = left >= abs(column.mean) / 2 > column.std or (on_its_way and abs(column.mean) > column.std)
    # beyond td.08.offset the mean is to be taken off, whatever the scale
    near = abs(column.mean) < run_data.limit("td.08.offset") * column.std
    return far and near and max(moved, default=0.0) >= _MOVED


def _largest_output(loss: LossKind) -> Optional[float]:
    """The largest absolute output on the captured batch; None where none was captured."""
    if not loss.predicted or None in (loss.predicted.min, loss.predicted.max):
        return None
    return max(abs(loss.predicted.min), abs(loss.predicted.max))


def _never_finite(run_data: RunData) -> bool:
    losses = run_data.steps().observed("loss")
    return bool(len(losses)) and not math.isfinite(float(losses[-1]))


def _too_large(
    run_data: RunData, dataset: Fact, column: Fact, size: float, reached: Optional[float], outcome: BesideConstant
) -> Finding:
    beside = (
        Text(
            "，而网络的输出最大只有 {reached}", ", while the network puts out at most {reached}", reached=float(reached)
        )
        if reached is not None
        else Text("", "")
    )
    told = outcome.constant is not None and outcome.end is not None
    end = Text("；{what}", "; {what}", what=outcome.words()) if told else Text("", "")
    heads = [
        Text("目标列", "target column"),
        Text("最小", "min"),
        Text("最大", "max"),
        Text("均值", "mean"),
        Text("标准差", "std"),
    ]
    rows = [[column.name, column.min, column.max, column.mean, column.std]]
    places = [op_place(dataset, "map") or first_place(dataset), *array_origins(run_data, dataset, column)]
    return problem(
        Text(
            "回归目标 {name} 的尺度过大：取值 {low} 到 {high}，均方根 {size}{beside}，且未经标准化就进入 loss{end}。",
            "The regression target {name} is far too large in scale: it runs from {low} to {high}, root mean square {size}"
            "{beside}, and enters the loss without being standardised{end}.",
            name=column.name,
            low=column.min,
            high=column.max,
            size=size,
            beside=beside,
            end=end,
        ),
        Text(
            "用训练集目标的均值和标准差对目标标准化（或取对数），推理时再还原；评估指标在还原后计算。",
            "Standardise the targets by the training set's mean and standard deviation (or take their logarithm), and undo it at "
            "inference; compute the metrics after that.",
        ),
        [
            table(Text("回归目标", "Regression target"), heads, rows),
            loss_figure(run_data),
            run_data.code_at(places, Text("数据处理", "The data processing")),
        ],
        places,
    )
