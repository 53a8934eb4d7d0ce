"""A network without a bias before targets that its outputs cannot follow (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, listed, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_without_bias(run_data: RunData) -> Optional[Finding]:
    """A problem where no trained layer has a bias, the outputs were seen to grow with the inputs or to change their sign with
    them, samples told by what such a network can tell them by are told cg.03.biased less well than by neighbours, and the
    training ended no better than that; else None."""
    one, gain = run_data.probes.without_bias, unsolved_gain(run_data)
    if one.by is None or gain is None or one.whole - one.part < run_data.limit("cg.03.biased"):
        return None
    # a share of classes is no share of a loss
    constant = learning_outcome(run_data).constant
    of_amounts = constant is not None and constant.majority is None
    if of_amounts and gain > max(one.part, 0.0) + run_data.limit("cg.03.biased") / 2:
        return None
    weights = {param.cell for param in run_data.parameters if param.in_optimizer and param.kind == "weight"}
    layers = [cell for network in run_data.networks for cell in network.cells if cell.path in weights and cell.builtin]
    places = list({(cell.created.file, cell.created.line): cell.created for cell in layers if cell.created}.values())
    return problem(
        Text(
            "网络的各层都没有偏置（{names}）：{symmetry}，这样只能说明目标的 {part}，而最近邻能说明 {whole}；"
            "训练比常数预测低 {gain}。",
            "No layer of the network has a bias ({names}): {symmetry}. That tells {part} of the targets, neighbours tell "
            "{whole}, and the training ended {gain} below a constant prediction.",
            names=listed([cell.path or cell.class_ or "" for cell in layers][:4]),
            symmetry=_SYMMETRIES[one.by],
            part=percent(max(one.part, 0.0)),
            whole=percent(one.whole),
            gain=percent(max(gain, 0.0)),
        ),
        Text("去掉 has_bias=False（bias=False）。", "Take has_bias=False (bias=False) away."),
        [run_data.code_at(places, Text("没有偏置的层", "The layers without a bias"))],
        places or [network.place for network in run_data.networks][:1],
    )


_SYMMETRIES = {
    "scale": Text(
        "输入放大几倍，输出就放大几倍，输出（除倍数外）只取决于样本的方向",
        "its outputs grow as its inputs do, and depend but for a factor on the direction of a sample alone",
    ),
    "sign": Text("输入变号，输出也变号", "its outputs change their sign with its inputs"),
    "both": Text("输出是输入的过原点线性函数", "its outputs are a linear map of its inputs through the origin"),
}
