"""What is said of the outcome of a training (td.01)."""

from typing import Optional

from msprec.bilingual import Joined, Text, percent
from msprec.checklists.td.outcome.assessment import Assessment

_STATES = {
    "learnt": Text("训练学到了东西", "The training learnt"),
    "hardly": Text("训练几乎没有学到东西", "The training learnt hardly anything"),
    "nothing": Text("训练什么也没有学到", "The training learnt nothing"),
    "diverged": Text("训练发散", "The training diverged"),
    "stopped_early": Text("训练在 loss 仍明显下降时就结束", "The training ended while its loss still fell clearly"),
    "got_worse": Text("训练先变好、后变差", "The training got better and then worse"),
    "unknown": Text("无法判断训练是否学到了东西", "Whether the training learnt cannot be told"),
}
_NOT_FALLEN = Text(
    "loss 没有下降，训练看来什么也没有学到", "The loss did not fall, so the training seems to have learnt nothing"
)
_LITTLE = Text("训练学到了一点东西", "The training learnt a little")
_NOT_VALID = {
    "hardly": Text(
        "训练数据已学会，验证数据上却不比常数预测好",
        "The training data are learnt, and on validation it is no better than a constant",
    ),
    "got_worse": Text(
        "训练数据已学会，验证结果却先变好、后变差",
        "The training data are learnt, and the validation got better and then worse",
    ),
}
_WAYS = {
    "linear": Text("线性回归", "a linear regression"),
    "neighbours": Text("五个最近邻样本的均值", "the mean of the five nearest samples"),
}
_REASONS = {
    "few_steps": Text("只有 {n} 个 loss", "there are {n} losses only"),
    "no_loss": Text("没有记录到 loss", "no loss was recorded"),
    "turns": Text(
        "多个优化器交替更新（例如 GAN），各自的 loss 不必下降",
        "optimizers take turns, as in a GAN, and none of their losses has to fall",
    ),
}


def sentence(found: Assessment) -> Text:
    """The outcome in one sentence."""
    if found.reason in _REASONS:
        why = _REASONS[found.reason]
        told = Text(why.zh, why.en, n=found.outcome.steps)
        return Text(
            "{state}：{told}{score}。",
            "{state}: {told}{score}.",
            state=_STATES["unknown"],
            told=told,
            score=_score(found),
        )
    parts = [_course(found), _beside(found), _simple_predictor(found)]
    return Text(
        "{state}：{told}{score}{stopped}。",
        "{state}: {told}{score}{stopped}.",
        state=_state(found),
        told=Joined([part for part in parts if part is not None], zh="，", en=", "),
        score=_score(found),
        stopped=_stopped(found),
    )


def _state(found: Assessment) -> Text:
    if found.reason == "validation":
        return _NOT_VALID[found.state]
    if found.state == "learnt" and found.little:
        return _LITTLE
    return _NOT_FALLEN if (found.state, found.reason) == ("nothing", "no_constant") else _STATES[found.state]


def _course(found: Assessment) -> Text:
    if found.state == "got_worse" and found.reason != "validation":
        return Text(
            "loss 从 {start} 降到 {lowest}，结尾又回到 {end}",
            "its loss went from {start} down to {lowest} and ended at {end}",
            start=found.start,
            lowest=found.lowest,
            end=found.end,
        )
    return Text(
        "loss 从开头的 {start} 到结尾的 {end}",
        "its loss went from {start} at the start to {end} at the end",
        start=found.start,
        end=found.end,
    )


def _beside(found: Assessment) -> Optional[Text]:
    """The end beside the constant, or that there is none."""
    constant, gain = found.outcome.constant, found.outcome.gain
    if constant is None or not constant.value > 0:
        return Text(
            "这种 loss 的最好常数预测无从得知，只能与开头相比",
            "and as the best constant prediction is not known for this loss, it is compared with its start alone",
        )
    level = Text("{value}（{how}）", "{value} ({how})", value=constant.value, how=constant.statistic())
    if gain is None or found.state == "diverged":
        return Text("而最好的常数预测为 {level}", "where the best constant prediction reaches {level}", level=level)
    if gain >= 0.0:
        return Text(
            "比最好的常数预测 {level}低 {gain}",
            "{gain} below the best constant prediction, {level}",
            gain=percent(gain),
            level=level,
        )
    return Text("不低于最好的常数预测 {level}", "not below the best constant prediction, {level}", level=level)


def _simple_predictor(found: Assessment) -> Optional[Text]:
    behind = found.behind
    if behind is None:
        return None
    if behind.by == "class":
        return Text(
            "而只看最近邻样本的类别就有 {agreement} 判对，loss 可达 {loss}",
            "while the class of a sample's nearest neighbour alone is right for {agreement} of them, a loss of {loss}",
            agreement=percent(behind.share),
            loss=behind.loss,
        )
    return Text(
        "而在同样的输入上，{way}就能解释 {share} 的方差，loss 可达 {loss}",
        "while {way} on the same inputs explains {share} of the variance, a loss of {loss}",
        way=_WAYS[behind.by],
        share=percent(behind.share),
        loss=behind.loss,
    )


def _score(found: Assessment) -> Text:
    score = found.score
    if score is None:
        return Text("", "")
    if score.constant is None:
        return Text("；验证集 {name} 为 {value}", "; {name} on validation {value}", name=score.name, value=score.value)
    return Text(
        "；验证集 {name} 为 {value}（常数预测为 {constant}）",
        "; {name} on validation {value} (a constant prediction: {constant})",
        name=score.name,
        value=score.value,
        constant=score.constant,
    )


def _stopped(found: Assessment) -> Text:
    if found.step is None:
        return Text("", "")
    if found.state == "diverged":
        return Text("；从第 {step} 步起", "; from step {step} on", step=found.step)
    if found.state == "got_worse":
        return Text("；最好在第 {step} 步", "; it was best at step {step}", step=found.step)
    return Text("；第 {step} 步之后不再有进步", "; nothing more was gained after step {step}", step=found.step)
