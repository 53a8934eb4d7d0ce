"""td.09: Sudden rises of the loss or of the gradients."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import gradients_figure, loss_figure, no_training, rate_figure
from msprec.checklists.common.training.constant_prediction import training_losses
from msprec.checklists.common.training.training_segments import last_rows
from msprec.checklists.td.outcome.assessment import Assessment, assess, has_other_aim
from msprec.checklists.td.spikes.circumstances import Seen, spikes_of
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.item import item
from msprec.engine.rank_merge import PROBLEMS
from msprec.engine.run_data import RunData

_ADVICE = Text(
    "降低该处的学习率或延长预热，裁剪梯度（clip_by_global_norm），并检查该步的 batch（异常的样本或标签）；"
    "从突增之前的检查点重新开始，跳过那些 batch。",
    "Lower the learning rate there or warm up for longer, clip the gradients (clip_by_global_norm), and look at the batch of "
    "that step for odd samples or labels; start again from a checkpoint before it and leave these batches out.",
)
_LOOK = Text(
    "核对突增处是否换了数据、loss 或训练阶段；若没有，检查该步的 batch 与学习率。",
    "See whether data, loss or the stage of the training changed there; if not, look at the batch and the learning rate there.",
)


@item("td.09", ranks=PROBLEMS)
def spikes(run_data: RunData) -> Finding:
    """Sudden rises of the loss, and what stood around them.

    A spike lies td.09.deviations robust standard deviations above the median of the window before it, td.09.extremes times
    that window's largest deviations, and td.09.rise of what the training had gained. Problem: the loss never came back and
    td.09.lost of the gain is gone, with a cause or a consequence beside it: the learning rate had jumped above all before
    it, the gradient of a layer grew to td.09.norm times its usual size, the loss became non-finite, or the training ended
    at a constant prediction or diverged. Without these, or with td.09.many spikes that took a window to recover from,
    undecided. Single spikes that recovered are a note; those after a restart of the learning rate are no spikes.
    Where optimizers take turns it does not apply.
    """
    if run_data.trains_nothing:
        return no_training()
    if "loss" in run_data.steps() and last_rows(run_data) is None:
        return not_applicable(
            Text(
                "多个优化器交替更新，loss 没有可供比较的平稳走势。",
                "Several optimizers update in turn: the losses follow no steady course to compare a rise with.",
            )
        )
    found = spikes_of(run_data)
    if found is None:
        return _too_few(run_data)
    planned = [one for one in found if one.restart and not one.stays]
    seen = [one for one in found if one not in planned]
    shown = [
        _table(seen),
        loss_figure(run_data),
        rate_figure(run_data) if seen else None,
        gradients_figure(run_data) if seen else None,
    ]
    if not seen:
        return ok(_none(planned), shown)
    return _judged(run_data, seen, shown)


def _judged(run_data: RunData, seen: list, shown: list) -> Finding:
    assessed = run_data.once(assess)
    stayed = [one for one in seen if one.stays or one.bad is not None]
    lost = [one for one in stayed if one.bad is not None or _lost(run_data, one, assessed)]
    if lost and not has_other_aim(run_data):
        one = lost[0]
        if one.jumped or one.layer or one.bad is not None or assessed.state in ("nothing", "diverged"):
            return problem(_stays(one), _ADVICE, shown, _places(run_data, one))
    if stayed:
        return undecided(_stays(stayed[0]), _LOOK, shown, _places(run_data, stayed[0]))
    long = [one for one in seen if one.long]
    if len(long) >= run_data.limit("td.09.many"):
        return undecided(_several(seen), _LOOK, shown, _places(run_data, long[0]))
    return ok(_several(seen), shown)


def _lost(run_data: RunData, one: Seen, assessed: Assessment) -> bool:
    gained = one.spike.gained
    end = assessed.end
    return (
        end is not None
        and gained > 3 * one.spike.noise
        and end - one.spike.usual > run_data.limit("td.09.lost") * gained
    )


def _too_few(run_data: RunData) -> Finding:
    losses = run_data.once(training_losses)
    return undecided(
        Text(
            "只有 {n} 个 loss，看不出突增。",
            "{n} losses are too few to see spikes in.",
            n=len(losses[1]) if losses else 0,
        ),
        Text("训练更多的步后再判断。", "Train for more steps, then judge again."),
    )


def _none(planned: list) -> Text:
    if planned:
        return Text(
            "loss 没有突增；{n} 次上升发生在学习率重启之后，属于预期。",
            "No spike of the loss; {n} rises follow a restart of the learning rate, as is to be expected.",
            n=len(planned),
        )
    return Text("loss 没有突增。", "No spike of the loss.")


def _stays(one: Seen) -> Text:
    return Text(
        "第 {step} 步{place}起 loss 从 {usual} 突增到 {height}，再未恢复{around}。",
        "At step {step}{place} the loss rose from {usual} to {height} and never came back{around}.",
        step=one.step,
        place=_where(one),
        usual=one.spike.usual,
        height=one.spike.height,
        around=_around(one),
    )


def _several(seen: list) -> Text:
    one = max(seen, key=lambda each: each.spike.height - each.spike.usual)
    back = Text("，{n} 步后恢复", ", back after {n} steps", n=one.back) if one.back is not None else Text("", "")
    return Text(
        "loss 突增 {n} 次；最大的一次在第 {step} 步{place}，从 {usual} 到 {height}{back}{around}。",
        "The loss rose suddenly {n}; the highest at step {step}{place}, from {usual} to {height}{back}{around}.",
        n=_times(len(seen)),
        step=one.step,
        place=_where(one),
        usual=one.spike.usual,
        height=one.spike.height,
        back=back,
        around=_around(one),
    )


def _times(count: int) -> Text:
    return Text(str(count), "once" if count == 1 else "twice" if count == 2 else f"{count} times")


def _where(one: Seen) -> Text:
    if one.epoch is None:
        return Text("", "")
    return Text(
        "（epoch {epoch} 的第 {batch} 个 batch）", " (epoch {epoch}, batch {batch})", epoch=one.epoch, batch=one.batch
    )


def _around(one: Seen) -> Text:
    zh, en = "", ""
    values: dict = {}
    if one.jumped:
        zh, en = (
            zh + "；学习率刚从 {before} 增大到 {rate}",
            en + "; the learning rate had just grown from {before} to {rate}",
        )
        values |= {"before": one.before, "rate": one.rate}
    if one.layer is not None:
        zh += "；{layer} 的梯度最先增大（第 {sample} 步为平时的 {factor} 倍）"
        en += "; the gradient of {layer} grew first, to {factor} times its usual size at step {sample}"
        values |= {"layer": one.layer[0], "factor": one.layer[1], "sample": one.layer[2]}
    if one.kept is not None:
        zh += "；第 {kept} 步的 batch 保存在 {file}"
        en += "; the batch of step {kept} is kept in {file}"
        values |= {"kept": one.kept.step, "file": one.kept.file}
    if one.bad is not None:
        zh, en = zh + "；第 {bad} 步 loss 变为非有限值", en + "; at step {bad} it is not finite"
        values["bad"] = one.bad
    return Text(zh, en, **values)


def _places(run_data: RunData, one: Seen) -> list:
    optimizers = [each.place for each in run_data.optimizers if each.used is not False and each.place]
    steps = [each.place for each in run_data.train_steps if each.place and each.count != 0]
    return (optimizers if one.jumped and optimizers else steps or optimizers)[:1]


def _table(seen: list) -> Optional[object]:
    if not seen:
        return None
    rows = [
        [
            one.step,
            one.epoch,
            one.batch,
            one.spike.usual,
            one.spike.height,
            one.rate,
            one.back,
            one.layer[0] if one.layer else None,
            one.kept.file if one.kept is not None else None,
        ]
        for one in seen
    ]
    columns = [
        Text("步", "step"),
        Text("epoch", "epoch"),
        Text("其中第几个 batch", "batch in it"),
        Text("此前中位数", "median before"),
        Text("最高", "highest"),
        Text("学习率", "learning rate"),
        Text("恢复所用步数", "steps until back"),
        Text("梯度最先增大的层", "layer whose gradient grew first"),
        Text("保存的 batch", "batch kept"),
    ]
    return table(Text("loss 的突增", "Spikes of the loss"), columns, rows)
