"""Rates that are for judging after what another item says is put right (hp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.target_scale import target_scale
from msprec.checklists.common.findings import train_sets
from msprec.checklists.common.loss.custom_loss import lowers_rewards
from msprec.checklists.common.loss.loss_rules import computed_twice, sign_turned
from msprec.checklists.common.loss.without_floor import falls_without_floor
from msprec.checklists.common.training.given_gradients import given_share
from msprec.checklists.common.training.manual_loss_scaling import keeps_scale
from msprec.checklists.common.weights.cannot_learn import judged_after
from msprec.checklists.common.weights.weight_updates import lacks_weights
from msprec.checklists.td.scales.drowned_terms import unscaled_term
from msprec.checklists.td.update_gradients.kept_buffers import kept_buffers
from msprec.checklists.td.update_gradients.kept_sums import kept_sums
from msprec.engine.finding import Finding
from msprec.engine.run_data import RunData

#: ``(why, item)`` of a rate that learns as soon as the inputs are standardised.
STANDARDISE = (
    Text(
        "输入远未归一化（dp.01），而把它标准化之后，所用的学习率就能学习，学习率要在改正之后再判断",
        "The inputs are far from a unit scale (dp.01), and once they are standardised the rate learns, so it is for judging "
        "after that",
    ),
    "dp.01",
)

#: The same of one that another does better than on batches of one class each.
SHUFFLE = (
    Text(
        "样本按标签聚集（dp.03），每个 batch 只有一两个类别：在这样的 batch 上比较不出学习率，要在改正之后再判断",
        "Samples come grouped by label (dp.03), with a class or two in a batch: rates compared on such batches tell little, so "
        "it is for judging after that",
    ),
    "dp.03",
)


def settled_first(run_data: RunData) -> Optional[tuple]:
    """``(why, item)`` where what another item says makes updates or errors of another size, at any rate."""
    own_losses = run_data.probes.own_losses
    if sign_turned(run_data) or any(lowers_rewards(own, run_data) for own in own_losses):
        why = Text(
            "loss 的符号反了（cg.04），误差在任何学习率下都会增大，学习率要在改正之后再判断",
            "The sign of the loss is turned (cg.04): at any rate the error grows, so the rate is for judging after that",
        )
        return why, "cg.04"
    if run_data.once(falls_without_floor) is not None:
        why = Text(
            "loss 没有下界（cg.04），在任何学习率下都会降下去直到溢出，学习率要在改正之后再判断",
            "The loss has no lower bound (cg.04): at any rate it falls until it overflows, so the rate is for judging after that",
        )
        return why, "cg.04"
    if run_data.probes.differentiated.of in ("sum", "first"):
        why = Text(
            "优化器得到的不是 loss 的梯度（cg.04），误差在任何学习率下都可能增大，学习率要在改正之后再判断",
            "The optimizer is not given the gradients of the loss (cg.04): at any rate the error may grow, so the rate is for "
            "judging after that",
        )
        return why, "cg.04"
    if run_data.once(kept_sums) is not None or run_data.once(kept_buffers) is not None:
        why = Text(
            "累加的梯度从不清零（td.04）：更新越来越大，学习率要在改正之后再判断",
            "Sums of gradients are never cleared (td.04): the updates grow and grow, so the rate is for judging after that",
        )
        return why, "td.04"
    if keeps_scale(run_data):
        why = Text(
            "loss 乘了 loss scale，而梯度没有除以它（mp.02）：更新大了同样的倍数，学习率要在改正之后再判断",
            "The loss is multiplied by a scale that the gradients are never divided by (mp.02): the updates are many times too "
            "large, so the rate is for judging after that",
        )
        return why, "mp.02"
    far = "dp.01" if any(target_scale(run_data, one) for one in train_sets(run_data)) else None
    far = far or ("td.08" if unscaled_term(run_data) is not None else None)
    if far is not None:
        why = Text(
            "回归目标未经标准化，尺度过大（{item}）：合适的学习率取决于目标的尺度，要在改正之后再判断",
            "The targets are far too large in scale ({item}), and the rate that suits depends on it: it is for judging after "
            "that",
            item=far,
        )
        return why, far
    return None


def unless_squashed(run_data: RunData, found: Finding) -> Finding:
    """A rate that is too small where an activation is computed twice, which makes gradients small, where the optimizer lacks
    most of the weights or is given hardly anything of the gradients, or where nothing of a checkpoint was loaded, need not be so
    without it."""
    share = given_share(run_data)
    if share is not None and share <= run_data.limit("hp.01.given"):
        return judged_after(
            found,
            Text(
                "优化器得到的梯度只有计算出的 {share}（td.04；裁剪、系数或 loss scale，见 mp.03），学习率要在改正之后再判断",
                "The optimizer is given {share} times the gradients of its batches (td.04: clipping, a factor, or a loss scale, "
                "see mp.03), so the rate is for judging after that",
                share=share,
            ),
            "td.04",
        )
    if computed_twice(run_data):
        return judged_after(
            found,
            Text(
                "loss 前的激活被计算了两次（cg.04），梯度因此很小，学习率要在改正之后再判断",
                "An activation is computed twice at the loss (cg.04), which makes gradients small, so the rate is for judging "
                "after that",
            ),
            "cg.04",
        )
    if any(one.loaded == 0 and one.network_used for one in run_data.loads):
        return judged_after(
            found,
            Text(
                "检查点中没有任何参数载入网络（wi.02），随机的权重要改变得更多，学习率要在改正之后再判断",
                "Nothing of a checkpoint got into the network (wi.02), and random weights have the more to change, so the "
                "rate is for judging after that",
            ),
            "wi.02",
        )
    if lacks_weights(run_data):
        return judged_after(
            found,
            Text(
                "多数可训练权重不在优化器中（cg.02），其余权重要改变得更多，学习率要在改正之后再判断",
                "Most trainable weights are not in the optimizer (cg.02), and the others have the more to change, so the rate is "
                "for judging after that",
            ),
            "cg.02",
        )
    return found
