"""A network whose outputs follow its inputs in a way that cannot tell the targets (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, listed, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.record.schema import ACTIVATIONS


def judge_function_class(run_data: RunData) -> Optional[Finding]:
    """A problem where the outputs were seen to be an affine map of the inputs, to grow with them, or to change their sign with
    them, the nearest of other samples tell the targets better by cg.03.cannot_follow than such outputs can, and the training
    ended no better than these; or where they are an affine map, though three layers or more follow one another (`_for_nothing`);
    else None."""
    one, gain = run_data.probes.function_class, unsolved_gain(run_data)
    if _for_nothing(run_data, one):
        return _layers_for_nothing(run_data, one)
    if one.by not in _WAYS or gain is None or None in (one.whole, one.part):
        return None
    if one.whole - one.part < run_data.limit("cg.03.cannot_follow"):
        return None
    constant = learning_outcome(run_data).constant
    of_amounts = constant is not None and constant.majority is None  # a share of classes is no share of a loss
    if of_amounts and gain > max(one.part, 0.0) + run_data.limit("cg.03.cannot_follow") / 2:
        return None
    layers, places = _layers(run_data)
    says, advice = _WAYS[one.by]
    return problem(
        Text(
            "{says}：这样的输出最多说明目标的 {part}，而最近邻能说明 {whole}；训练结束时 loss 比常数预测低 {gain}"
            "（层 {names}）。",
            "{says}: such outputs tell {part} of the targets at most, the nearest neighbours tell {whole}, and the training "
            "ended {gain} below the loss of a constant prediction (layers {names}).",
            says=says,
            names=listed([cell.path or cell.class_ or "" for cell in layers][:4]),
            part=percent(max(one.part, 0.0)),
            whole=percent(one.whole),
            gain=percent(max(gain, 0.0)),
        ),
        advice,
        [run_data.code_at(places, Text("有权重的层", "The layers with weights"))],
        places or [network.place for network in run_data.networks][:1],
    )


def _layers(run_data: RunData) -> tuple:
    """``(layers with weights, where they were made)``."""
    weights = {param.cell for param in run_data.parameters if param.in_optimizer and param.kind == "weight"}
    layers = [cell for network in run_data.networks for cell in network.cells if cell.path in weights and cell.builtin]
    return layers, [cell.created for cell in layers if cell.created]


def _for_nothing(run_data: RunData, one: Fact) -> bool:
    """Whether three layers with weights or more, in a row, none narrower inside than the narrower end, are an affine map in all
    and no activation ran, of a training that did not come cg.03.solved below a constant prediction."""
    widths = one.widths or []
    if one.by not in ("affine", "linear") or len(widths) < 4 or min(widths[1:-1]) < min(widths[0], widths[-1]):
        return False
    entries = [entry for moment in run_data.probes.units.moments for entry in moment.entries]
    if any(entry.kind in ACTIVATIONS for entry in entries):
        return False  # small signals do not bend it, which is for td.03 to tell
    gain = learning_outcome(run_data).gain
    return gain is None or gain < run_data.limit("cg.03.solved")


def _layers_for_nothing(run_data: RunData, one: Fact) -> Finding:
    nothing = [cell.created for cell in run_data.probes.graph.cells if cell.class_ == "Identity" and cell.created]
    places = [*nothing, *(at for at in one.places or [] if at), *_layers(run_data)[1]]
    return problem(
        Text(
            "{n} 层有权重的层接连计算，网络的输出却只是输入的线性（仿射）函数：其间没有起作用的激活函数，"
            "这些层合起来只相当于一层。",
            "{n} layers with weights follow one another, and what the network gives is an affine map of its inputs: no "
            "activation takes effect between them, and together they can express no more than one.",
            n=len(one.widths) - 1,
        ),
        _ACTIVATE,
        [run_data.code_at(places, Text("有权重的层", "The layers with weights"))],
        places or [network.place for network in run_data.networks][:1],
    )


_ACTIVATE = Text(
    "在有权重的层之间加入激活函数（如 ReLU），并确认它的结果被用到；只有一层时加隐藏层。",
    "Put an activation such as ReLU between the layers with weights, and see that its result is used; where there is one layer "
    "alone, add hidden ones.",
)
_BIAS = Text("去掉 has_bias=False（bias=False）。", "Take has_bias=False (bias=False) away.")
#: What is said of each way in which outputs follow inputs, and the advice.
_WAYS = {
    "affine": (
        Text("网络的输出只是输入的线性（仿射）函数", "What the network gives is an affine map of its inputs"),
        _ACTIVATE,
    ),
    "linear": (
        Text(
            "网络的输出只是输入的过原点线性函数",
            "What the network gives is a linear map of its inputs through the origin",
        ),
        _ACTIVATE,
    ),
    "scale": (
        Text(
            "各层都没有偏置，输入放大几倍输出就放大几倍，除倍数外只取决于样本的方向",
            "No layer has a bias: the outputs grow as the inputs do, and depend but for a factor on the direction of a sample",
        ),
        _BIAS,
    ),
    "sign": (
        Text(
            "各层都没有偏置，输入变号输出也变号", "No layer has a bias: the outputs change their sign with the inputs"
        ),
        _BIAS,
    ),
}
