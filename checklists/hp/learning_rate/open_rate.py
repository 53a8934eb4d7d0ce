"""What is said of a rate that nothing is shown against, or for (hp.01)."""

from msprec.bilingual import Text
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.training.constant_prediction import BesideConstant
from msprec.checklists.hp.learning_rate.beside_range_test import learns_at
from msprec.checklists.hp.learning_rate.loss_course import of_another_training, still_rising
from msprec.checklists.hp.learning_rate.rate_findings import NO_BOUNDS, bound_words, bounds_words, course_words
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData


def learnt_nothing(
    run_data: RunData, used, curve, verdict: str, outcome: BesideConstant, evidence: list, places: list
) -> Finding:
    """The end of the training is no better than a constant prediction: a problem of the rate only where another is shown to
    learn."""
    learns = learns_at(curve, outcome, run_data.limit("hp.01.learns"))
    if learns and verdict in ("too_small", "too_large"):
        return problem(
            Text(
                "训练什么也没有学到：{what}；学习率 {used} 在范围测试的界限之外{bounds}，而测试在界限之内把 loss 降到 {best}。",
                "The training learnt nothing: {what}; the learning rate of {used} lies outside the bounds of the range test"
                "{bounds}, which brings the loss down to {best} inside them.",
                what=outcome.words(),
                used=used,
                bounds=bounds_words(curve),
                best=curve.reached()[1],
            ),
            Text(
                "把学习率设为约 {steepest}（范围测试中 loss 下降最快处）再运行。",
                "Set it to about {steepest}, where the loss falls most steeply in the range test, and run again.",
                steepest=bound_words(curve.steepest),
            ),
            evidence,
            places,
        )
    beside = (
        Text(
            "；范围测试的最低 loss 为 {best}",
            "; the lowest loss of the range test is {best}",
            best=curve.reached()[1],
        )
        if curve is not None and curve.unavailable_reason is None
        else Text("", "")
    )
    return undecided(
        Text(
            "训练什么也没有学到：{what}{beside}；没有证据表明原因是学习率 {used}。",
            "The training learnt nothing: {what}{beside}; the learning rate of {used} is not shown to be the reason.",
            what=outcome.words(),
            beside=beside,
            used=bound_words(used),
        ),
        Text(
            "先看数据、标签、网络与 loss 的检查项（ds、dp、cg、wi）；再用 `msprec lr SCRIPT` 看是否有学习率能使 loss 降到 "
            "{value} 以下。",
            "See the items on data, labels, network and loss (ds, dp, cg, wi) first; then let `msprec lr SCRIPT` tell whether "
            "any rate brings the loss below {value}.",
            value=outcome.constant_value,
        ),
        evidence,
        places,
    )


def open_rate(run_data: RunData, seen, used, curve, verdict: str, evidence: list, places: list) -> Finding:
    """Undecided: neither the course nor the range test speaks against the rate or for it."""
    if of_another_training(run_data):
        why = Text(
            "范围测试用的是此前另一次训练的优化器（{name}）",
            "the range test was made with the optimizer of an earlier training ({name})",
            name=run_data.range_test.optimizer,
        )
        then = Text(
            "把最后这次训练单独写成一个脚本，再用 `msprec lr SCRIPT` 测试。",
            "Put the last training into a script of its own and test it with `msprec lr SCRIPT`.",
        )
    elif curve is None:
        why, then = skipped(run_data, "range_test"), remedy(run_data, "range_test")
    elif verdict == "unknown":
        why = Text(
            "范围测试没有给出界限（{why}）",
            "the range test gave no bounds ({why})",
            why=NO_BOUNDS.get(
                curve.unavailable_reason, Text("学习率在测试范围之外", "the rate lies outside the sweep")
            ),
        )
        then = Text(
            "用 `msprec lr SCRIPT --low … --high … --steps …` 在更多 batch 上测试。",
            "Test on more batches with `msprec lr SCRIPT --low … --high … --steps …`.",
        )
    else:
        why = Text(
            "学习率在范围测试的界限之内，问题可能在别处",
            "the rate lies within the bounds of the range test, so that the cause may be another",
        )
        then = Text(
            "先看其他检查项（数据、标签、loss、初始化），再以更小的学习率或预热重新运行。",
            "See the other items (data, labels, loss, initial weights) first; then try a smaller rate or a warm-up.",
        )
    if seen.kind == "diverged" and seen.first is None:
        then = Text(
            "先看 mp.01 所指的首个非有限值：loss 变为 NaN/Inf 之前没有上升，原因多半不是学习率。",
            "See the first non-finite value that mp.01 names: the loss had not grown before it, so the rate is hardly the "
            "reason.",
        )
    return undecided(
        Text(
            "学习率 {used}，训练{course}{rising}；{why}。",
            "The learning rate is {used}, and the training {course}{rising}; {why}.",
            rising=rising_words(run_data),
            used=used if used is not None else Text("未记录", "not recorded"),
            course=course_words(seen),
            why=why,
        ),
        then,
        evidence,
        places,
    )


def rising_words(run_data: RunData) -> Text:
    """That the rate was still rising at the last step; empty where it was not."""
    if not still_rising(run_data):
        return Text("", "")
    return Text(
        "；到最后一步它仍在上升，预热没有结束", "; the rate was still rising at the last step: its warm-up never ended"
    )
