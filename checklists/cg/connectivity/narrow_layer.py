"""A layer of a single unit through which all that several outputs are computed from has to pass (cg.03)."""

import ast
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of

#: What leads values past a layer, beside the operators of arithmetic.
_JOINS = ("cat", "concat", "concatenate", "stack", "hstack", "add", "mul", "einsum", "bmm", "matmul")


def judge_narrow_layer(run_data: RunData) -> Optional[Finding]:
    """Problem: in a row of layers, which nothing leads past, a Dense layer of one unit is followed by another whose outputs end
    in three numbers or more (classes, or what an autoencoder gives back), and the training ended with more than cg.03.solved
    of the constant's loss; else None."""
    outcome = learning_outcome(run_data)
    gain = outcome.gain
    if gain is None or outcome.constant is None or not gain < run_data.limit("cg.03.solved"):
        return None
    weights = {one.cell: one for one in run_data.parameters if one.kind == "weight" and len(one.shape) > 1 and one.cell}
    ran = [cell for cell in run_data.probes.graph.cells if cell.path in weights and not cell.loss]
    if len(ran) < 3 or any(cell.calls != 1 for cell in ran) or not _in_a_row(run_data):
        return None
    shapes = [list(weights[cell.path].shape) for cell in ran]
    narrow = [
        n for n, one in enumerate(shapes[:-1]) if one[0] == 1 < one[1] and len(one) == 2 and shapes[n + 1][1:] == [1]
    ]
    if not narrow or shapes[-1][0] < 3:
        return None
    return _finding(run_data, ran[narrow[0]], shapes[-1][0], gain, outcome.constant.majority is not None)


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


def _finding(run_data: RunData, cell: Fact, outputs: int, gain: float, classes: bool) -> Finding:
    places = [cell.created] if cell.created else []
    return problem(
        Text(
            "{cls} 层 {name} 只有一个神经元，其后的全部 {n} 个{what}都只由这一个数算出，"
            "而训练结束时 loss 只比常数预测低 {share}。",
            "The {cls} layer {name} has a single unit: all {n} {what} are computed from that one number, "
            "and the training ended only {share} below the loss of a constant prediction.",
            cls=cell.class_,
            name=cell.path,
            n=outputs,
            what=Text("类别得分", "scores of classes") if classes else Text("输出", "outputs"),
            share=percent(gain),
        ),
        Text("增加这一层的宽度，例如与相邻的层相同。", "Make the layer wider, as wide as its neighbours for example."),
        run_data.code_at(places, Text("只有一个神经元的层", "The layer of one unit")),
        places or [network.place for network in run_data.networks][:1],
    )
