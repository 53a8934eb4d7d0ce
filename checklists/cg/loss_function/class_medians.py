"""A mean absolute error of one-hot rows, which is least where each class is given its median, 0 (cg.04)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.loss_rules import loss_lines
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.training.constant_prediction import training_losses
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.run_data import RunData

#: The largest mean absolute error that outputs near 0 and 1 can have.
_LARGEST = 1.0
#: Classes from which on each has fewer than half of the samples when they are balanced.
_CLASSES = 3


def check_class_medians(run_data: RunData) -> Optional[Wrong]:
    """A mean absolute error of one-hot rows of three classes or more in a training that came to nothing, or ended no lower than
    zeros would: an output is best at the median of what it stands for, which is 0 wherever its class is less likely than a half
    (Ghosh et al. 2017, section 3.2, who find that it is slow to train and underfits)."""
    for one in run_data.probes.losses:
        shape = one.targets.shape or []
        if one.kind != "l1" or not one.targets.one_hot or len(shape) != 2 or shape[1] < _CLASSES:
            continue
        if not (came_to_nothing(run_data) or _above_zeros(run_data, shape[1])):
            return None
        return Wrong(
            Text(
                "{name}（{where}）对 {n} 个类别的 one-hot 标签取平均绝对误差：每个输出的最优值是中位数，"
                "只要该类的可能性不到一半就是 0，训练因此趋向全零，没有学到东西。",
                "{name} ({where}) takes the mean absolute error to one-hot rows of {n} classes: an output is best at its median, "
                "which is 0 wherever its class is less likely than a half, so that all are drawn to 0; nothing was learnt.",
                name=one.name,
                where=at(one.place),
                n=shape[1],
            ),
            Text(
                "分类用 nn.CrossEntropyLoss（输出 logits，标签为类别编号或 one-hot）。",
                "Use nn.CrossEntropyLoss for classes: it takes logits, and class numbers or one-hot rows.",
            ),
            *loss_lines(run_data, one.name),
            one.place,
        )
    return None


def _above_zeros(run_data: RunData, classes: int) -> bool:
    """Whether the last loss, a mean, is no lower than outputs of 0 alone would have it: one of ``classes`` is missed by 1."""
    found = run_data.once(training_losses)
    return found is not None and len(found[1]) > 0 and 1 / classes <= found[1][-1] <= _LARGEST
