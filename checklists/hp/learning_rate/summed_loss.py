"""A loss that is summed over the batch beside a rate that is too large (hp.01)."""

from msprec.bilingual import Joined, Text
from msprec.checklists.common.findings import train_sets
from msprec.checklists.common.loss.loss_rules import loss_lines
from msprec.checklists.common.training.constant_prediction import loss_kind
from msprec.checklists.common.training.given_gradients import rate_sized
from msprec.engine.finding import Finding
from msprec.engine.run_data import RunData


def beside_sum(run_data: RunData, found: Finding) -> Finding:
    """The problem of a rate that is too large, which also names a loss that adds up over a batch of several samples.

    Its gradients grow with the batch, and so does the way that a rate goes. Unchanged for an optimizer whose steps are as large
    as the rate, whatever the gradients.
    """
    kind = loss_kind(run_data)
    batch = max((dataset.batch_size or 1 for dataset in train_sets(run_data)), default=1)
    summed = kind is not None and kind.reduction == "sum" and batch > 1
    if not summed or rate_sized([one for one in run_data.optimizers if one.used]):
        return found
    says = Text(
        "loss 在 {n} 个样本的 batch 上求和，梯度因此是取平均时的 {n} 倍，学习率的作用也随之放大。",
        "The loss is summed over the batch of {n} samples: its gradients are {n} times those of the mean, and so is what a "
        "learning rate does.",
        n=batch,
    )
    mean = Text(
        "或让 loss 对 batch 取平均（reduction='mean'）。", "Or take the mean over the batch (reduction='mean')."
    )
    found.summary, found.advice = Joined([found.summary, says]), Joined([found.advice, mean])
    named = [loss.class_ for loss in run_data.losses] or [loss.name for loss in run_data.probes.losses]
    made = [at for name in named for at in loss_lines(run_data, name)]
    places = made or [loss.place for loss in run_data.losses if loss.place]
    found.locations += [
        at for place in places if (at := {"file": place.file, "line": place.line}) not in found.locations
    ]
    return found
