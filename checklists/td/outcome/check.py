"""td.01: What the training reached."""

from msprec.bilingual import Text
from msprec.checklists.common.findings import (
    RUN_AGAIN,
    first_place,
    loss_figure,
    no_training,
    note,
    train_sets,
    validation_figure,
)
from msprec.checklists.td.outcome.assessment import Assessment, assess
from msprec.checklists.td.outcome.sentences import sentence
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.item import item
from msprec.engine.rank_merge import PROBLEMS
from msprec.engine.run_data import RunData

_ADVICE = Text(
    "按报告首页列出的可疑项逐条排查；没有时，先让网络在两三个 batch 上过拟合：做不到，原因在网络、loss 或参数更新；"
    "做得到，原因在数据或超参。",
    "Go through the suspects on the report's first page; where there are none, let the network overfit two or three batches: "
    "where it cannot, look at network, loss and updates; where it can, at the data and the hyperparameters.",
)
_DECIDE = {
    "short": Text("训练至少两遍数据后再判断。", "Train for two passes over the data at least, then judge again."),
    "other_aim": Text(
        "强化学习、对抗训练的 loss 不必下降：请按回报或生成结果判断。",
        "In reinforcement learning and adversarial training the loss need not fall: judge by the return or by what is generated.",
    ),
    "validation": Text(
        "训练 loss 说明学到了，验证数据却不然：请看 hp.02 与 dp.02，并核对验证数据。",
        "The training loss says it learnt, the validation data do not: see hp.02 and dp.02, and check the validation data.",
    ),
    "no_constant": Text(
        "用验证集上的指标判断，或用 msprec.log_metric 记下它。",
        "Judge by a metric on validation data, which msprec.log_metric records too.",
    ),
}
_DECIDE_STATE = {
    "hardly": Text(
        "与同类任务应有的水平比较；数据本身可能只能预测到这里。",
        "Compare with what is usual for the task: the data may hold no more.",
    ),
    "stopped_early": Text("延长训练后再判断。", "Train for longer, then judge again."),
    "got_worse": Text(
        "查看变差前后的学习率、数据与 loss 的定义。",
        "Look at the learning rate, the data and the definition of the loss around that step.",
    ),
    "diverged": Text("查看发散开始处的学习率与梯度。", "Look at the learning rate and the gradients where it began."),
}


#: So many other ranks are asked what they learnt.
_OTHERS = 4


@item("td.01", ranks=PROBLEMS)
def outcome(run_data: RunData) -> Finding:
    """What the training reached beside the best constant prediction for its loss, its own start and the validation data.

    Problem: a training of td.01.epochs and td.01.least_steps (or of td.01.steps) ends at the level of a constant prediction
    (hp.01.constant) without falling any more; or at a loss that is not finite, hp.01.diverged times the constant and its start,
    or td.01.exploded times its start; or it rose from below the constant to above it again, and on other ranks too. ok:
    td.01.well of the constant's loss is gone, or hp.01.learnt of it and half of the way to all right answers on validation.
    What lies between, a loss whose constant is not known, and trainings with another aim (two networks against each other,
    rewards) are undecided.
    """
    if run_data.trains_nothing:
        return no_training()
    found = run_data.once(assess)
    says, evidence = sentence(found), _evidence(run_data, found)
    if found.told == "learnt":
        return ok(says, evidence)
    if found.failed and not _of_its_shard_alone(run_data, found):
        return problem(says, _ADVICE, evidence, _places(run_data))
    decide = _DECIDE.get(found.reason or "") or _DECIDE_STATE.get(found.told, RUN_AGAIN)
    return undecided(says, decide, evidence)


def _of_its_shard_alone(run_data: RunData, found: Assessment) -> bool:
    """Whether the loss of this rank got worse again while that of another one was learnt: of the same model on other samples,
    of which a rank may have few."""
    others = [rank for rank in run_data.folder.ranks() if rank != run_data.rank][:_OTHERS]
    return found.state == "got_worse" and any(run_data.of_rank(one).once(assess).told == "learnt" for one in others)


def _evidence(run_data: RunData, found: Assessment) -> list:
    constant = found.outcome.constant
    rows: list = [
        [Text("开头的 loss", "loss at the start"), found.start],
        [Text("平滑后的最低值", "lowest, smoothed"), found.lowest],
        [Text("结尾的 loss（后十分之一）", "loss at the end (last tenth)"), found.end],
        [Text("最好常数预测的 loss", "loss of the best constant prediction"), constant.value if constant else None],
        [Text("停止学习的步", "step at which it stopped learning"), found.step],
    ]
    known = [row for row in rows if row[1] is not None]
    title = Text("训练的结果", "Outcome of the training")
    columns = [Text("项目", "what"), Text("值", "value")]
    return [
        table(title, columns, known) if known else None,
        _other_aim() if found.reason == "other_aim" else None,
        validation_figure(run_data) or loss_figure(run_data),
    ]


def _other_aim():
    return note(
        "源码中有强化学习或对抗训练的迹象：“不比常数好”在那里另有含义，因此不据此判断。",
        "The source speaks of reinforcement learning or adversarial training, where no better than a constant means something "
        "else; nothing is concluded from it.",
    )


def _places(run_data: RunData) -> list:
    """Where the training is done: its step, else its data."""
    places = [step.place for step in run_data.train_steps if step.place and step.count != 0]
    return places[:1] or [place for place in (first_place(one) for one in train_sets(run_data)) if place][:1]
