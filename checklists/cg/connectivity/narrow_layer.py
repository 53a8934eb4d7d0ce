"""A layer of one unit, or of few, through which all that many outputs are computed from has to pass (cg.03)."""

import ast
import math
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.data.truth_table import is_truth_table
from msprec.checklists.common.loss.loss_with_inputs import BCE, BCE_LOGITS
from msprec.checklists.common.script.setting_origin import UNITS, argument_origin
from msprec.checklists.common.training.constant_prediction import BesideConstant, learning_outcome
from msprec.checklists.common.training.simple_predictors import behind_simple_predictor
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of

#: Times the units of a tiny layer that there are inputs, of which they can tell little.
_INPUTS = 4
#: What leads values past a layer, beside the operators of arithmetic.
_JOINS = ("cat", "concat", "concatenate", "stack", "hstack", "add", "mul", "einsum", "bmm", "matmul")


def judge_narrow_layer(run_data: RunData) -> Optional[Finding]:
    """Problem: in a row of layers, which nothing leads past, a Dense layer is followed by another, and has one unit where the
    outputs end in three numbers or more (classes, or what an autoencoder gives back), and the training ended with more than
    cg.03.solved of the constant's loss, or came to nothing; or it has at most cg.03.narrow of the number of classes, nearest
    neighbours tell cg.03.told of them, and the training ended with more than cg.03.half_solved; or it has cg.03.tiny units at
    most, in a training that came far less down than nearest neighbours would bring it (td.01.neighbours; before no more outputs
    than that, cg.03.half_as_far), or ended with more than cg.03.half_solved of a whole truth table, of which nothing is noise,
    with fewer units than inputs, or with more than cg.03.squeezed where there are more labels or classes than units, and many
    more inputs; or a Dense layer is given one number of each of so few filters, cg.03.narrow of the number of outputs, in a
    training that ended with more than cg.03.half_solved; else None."""
    outcome, gain, nothing = learning_outcome(run_data), unsolved_gain(run_data), came_to_nothing(run_data)
    unknown = outcome.verdict == "unknown" and nothing
    if not unknown and (gain is None or outcome.constant is None):
        return None
    weights = {one.cell: one for one in run_data.parameters if one.kind == "weight" and len(one.shape) > 1 and one.cell}
    ran = [cell for cell in run_data.probes.graph.cells if cell.path in weights and not cell.loss]
    tiny, few = behind_simple_predictor(run_data, outcome) is not None, int(run_data.limit("cg.03.tiny"))
    if not ran or any(cell.calls != 1 for cell in ran) or not _in_a_row(run_data):
        return None
    shapes = [list(weights[cell.path].shape) for cell in ran]
    # a bottleneck before many outputs, as of an autoencoder, may be as narrow as that on purpose
    halfway = shapes[-1][0] <= few and behind_simple_predictor(run_data, outcome, "cg.03.half_as_far") is not None
    unsolved = gain is not None and gain < run_data.limit("cg.03.half_solved")
    logic = unsolved and is_truth_table(run_data)
    many = shapes[-1][0] > few and math.prod(shapes[0][1:]) >= _INPUTS * few and _labels_are_told(run_data, outcome)
    squeezed = many and gain is not None and gain < run_data.limit("cg.03.squeezed")
    tiny = tiny or halfway or logic or squeezed
    if len(ran) < (2 if tiny or nothing else 3):
        return None
    most = max(_most_units(run_data, shapes[-1][0], gain), few if tiny else 0)
    narrow = [
        n
        for n, one in enumerate(shapes[:-1])
        if len(one) == 2
        and one[0] <= most
        and ((tiny and not logic) or one[0] < one[1])
        and shapes[n + 1][1:] == one[:1]
    ]
    pixels = int(run_data.limit("cg.03.narrow") * shapes[-1][0])
    narrow += [n for n in range(len(shapes) - 1) if unsolved and _pooled_away(shapes[n], shapes[n + 1], pixels)]
    if not narrow:
        return None
    units = shapes[narrow[0]][0]
    return _finding(run_data, ran[narrow[0]], units, shapes[-1][0], gain, _of_classes(outcome))


def _labels_are_told(run_data: RunData, outcome: BesideConstant) -> bool:
    """Whether the outputs tell labels or classes, as against what an autoencoder gives back."""
    marks = [one.labels for one in run_data.probes.losses if one.kind in (BCE, BCE_LOGITS)]
    return _of_classes(outcome) or any(one.whole and (one.distinct or 0) <= 2 for one in marks)


def _of_classes(outcome: BesideConstant) -> bool:
    return outcome.constant is not None and outcome.constant.majority is not None


def _pooled_away(convolution: list, dense: list, most: int) -> bool:
    """Whether a Dense layer is given one number of each of a few filters, as where pooling has left a single pixel."""
    return len(convolution) > 2 and len(dense) == 2 and dense[1] == convolution[0] <= most


def _most_units(run_data: RunData, outputs: int, gain: Optional[float]) -> int:
    """A layer of so many units is narrow: one before three outputs or more, and more where neighbours tell the classes."""
    one = int(outputs >= 3)
    told = (run_data.probes.label_control.agreement or 0.0) >= run_data.limit("cg.03.told")
    if not told or gain is None or gain >= run_data.limit("cg.03.half_solved"):
        return one
    return max(int(run_data.limit("cg.03.narrow") * outputs), one)


def _in_a_row(run_data: RunData) -> bool:
    """Whether each class of the script's own in the network hands on one value from call to call."""
    own = {cell.class_ for cell in run_data.probes.graph.cells if not cell.builtin and not cell.loss}
    for name in own:
        bodies = [construct_of(node) for _, node in run_data.source.classes(name or "")]
        if not bodies or None in bodies:
            return False
        parts = [part for body in bodies if body is not None for part in ast.walk(body)]
        if any(isinstance(one, (ast.BinOp, ast.AugAssign)) for one in parts):
            return False
        if any(isinstance(one, ast.Call) and called_name(one).lower() in _JOINS for one in parts):
            return False
    return True


def _finding(run_data: RunData, cell: Fact, units: int, outputs: int, gain: Optional[float], classes: bool) -> Finding:
    made = argument_origin(run_data, cell.created, UNITS, cell.class_ or "", units) if cell.created else []
    places = [cell.created, *made] if cell.created else []
    return problem(
        Text(
            "{cls} 层 {name} 只有 {units} 个神经元，其后的{what}都只由它们算出，而训练{ended}。",
            "The {cls} layer {name} has {units} only: {what} computed from {them}, and the training {ended}.",
            units=Text(str(units), "a single unit") if units == 1 else Text(str(units), f"{units} units"),
            them=Text("它们", "that one number") if units == 1 else Text("它们", "these numbers"),
            cls=cell.class_,
            name=cell.path,
            what=_computed(outputs, classes),
            ended=Text("没有学到东西", "came to nothing")
            if gain is None
            else Text(
                "结束时 loss 只比常数预测低 {share}",
                "ended only {share} below the loss of a constant prediction",
                share=percent(max(gain, 0.0)),
            ),
        ),
        Text("增加这一层的宽度，例如与相邻的层相同。", "Make the layer wider, as wide as its neighbours for example."),
        run_data.code_at(places, Text("过窄的层", "The narrow layer")),
        places or [network.place for network in run_data.networks][:1],
    )


def _computed(outputs: int, classes: bool) -> Text:
    if outputs == 1:
        return Text("输出", "the output is")
    if classes:
        return Text("全部 {n} 个类别得分", "all {n} scores of classes are", n=outputs)
    return Text("全部 {n} 个输出", "all {n} outputs are", n=outputs)
