"""Dropout so strong that the network as a whole does not do what its thinned parts learnt (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.script.cell_arguments import dropped_share
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

#: Times a constant prediction's loss: beyond it the two losses are not the same quantity, as where one is scaled.
_FAR = 2.0


def judge_strong_dropout(run_data: RunData) -> Optional[Finding]:
    """Problem: of the batches that it was trained on the network takes in inference mode less than cg.03.whole_network of what
    training took from a constant prediction's loss, and cells that drop cg.03.dropped_inputs or more are all that differs
    between the modes; else None."""
    cells = [cell for network in run_data.networks for cell in network.cells if cell.mode_dependent]
    shares = [dropped_share(cell) for cell in cells]
    known = [share for share in shares if share is not None]
    if len(known) < len(shares) or not known or max(known) < run_data.limit("cg.03.dropped_inputs"):
        return None
    outcome, loss = learning_outcome(run_data), run_data.probes.inference_loss.loss
    if outcome.constant is None or outcome.end is None or loss is None or outcome.gain is None:
        return None
    constant = outcome.constant.value
    learnt, kept = constant - outcome.end, constant - loss
    if learnt <= 0 or loss > _FAR * constant or kept >= run_data.limit("cg.03.whole_network") * learnt:
        return None
    strong = [cell for cell, share in zip(cells, known) if share >= run_data.limit("cg.03.dropped_inputs")]
    places = [cell.created for cell in strong if cell.created]
    return problem(
        Text(
            "丢弃 {share} 的 Dropout 过强：训练结束时，训练模式下 loss 为 {train}，而推理模式下对训练样本的 loss 为 {whole}"
            "（常数预测为 {constant}）：整个网络没有学到被削减的部分所学到的。",
            "A dropout of {share} is too strong: at the end the loss is {train} in training mode, and {whole} on training "
            "samples in inference mode (a constant prediction has {constant}): the whole network does not do what its thinned "
            "parts learnt.",
            share=percent(max(known)),
            train=outcome.end,
            whole=loss,
            constant=constant,
        ),
        Text(
            "减小 p（隐藏层常用 0.1 到 0.5），或加宽这些层；每一处使用各自的 Dropout（图模式下同一个 Dropout 的几次调用会抽到"
            "同样的掩码）。",
            "Lower p (0.1 to 0.5 is usual for hidden layers), or make these layers wider; use a cell of its own at each place: "
            "in graph mode one cell may draw the same mask whenever it is called in a step.",
        ),
        run_data.code_at(places, Text("过强的 Dropout", "The dropout")),
        places,
    )
