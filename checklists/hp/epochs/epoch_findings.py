"""What hp.02 says of the number of epochs: the conclusions in words, with table and figure."""

import math
import re
from typing import Any, Optional

import numpy as np

from msprec.bilingual import Joined, Text, english, listed
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.scores_at_odds import AtOdds
from msprec.checklists.common.script.setting_origin import epochs_origin
from msprec.checklists.common.training.constant_prediction import BesideConstant, learning_outcome
from msprec.checklists.common.training.further_training import Further
from msprec.checklists.common.training.generalization_gap import Gap
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.checklists.common.training.term_weights import lost_weight
from msprec.checklists.common.training.training_curves import (
    TrainingCurve,
    ValidationCurve,
    epochs_of,
    is_steep,
    keeps_best,
    last_step,
)
from msprec.checklists.common.training.training_segments import last_evaluations, last_training_start
from msprec.checklists.common.training.whole_graph import whole_graph
from msprec.checklists.hp.epochs.training_progress import (
    broke_off,
    classified_share,
    decayed,
    held_out_share,
    leads_nowhere,
    little_ahead,
    nearly_done,
    only_begun,
    validation_flat,
)
from msprec.engine.finding import Evidence, Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.record.metric_names import is_metric_name

_EVALUATE = Text(
    "每个 epoch 在验证集上计算 loss 或精度（如 Model.fit），至少四次，看哪个 epoch 最好。",
    "Evaluate the loss or a score on the validation set every epoch (Model.fit does), four times at the least, and see which "
    "epoch is best.",
)

_FIND_WHY = Text(
    "先解决训练学不到东西的原因（数据、标签、网络、loss、学习率），再看曲线。",
    "Find first why it learns nothing (data, labels, network, loss, learning rate); then look at the curves again.",
)
#: An option of a command line that says how long a training is to be.
_LENGTH = re.compile(r"(--?|[\w.]+=?)?[\w.-]*(epoch|step|iter)", re.IGNORECASE)


def evaluations_table(run_data: RunData, curves: list) -> Optional[Evidence]:
    if not run_data.evaluations:
        return None
    losses, numbers = run_data.steps()["loss"], run_data.steps()["step"]
    rows, since = [], 0.0
    best = {(curve.name, float(curve.steps[curve.best])) for curve in curves}
    for evaluation in run_data.evaluations:
        step = float(evaluation.step or 0)
        inside = losses[(numbers > since) & (numbers <= step) & np.isfinite(losses)]
        since = step if inside.size else since
        for name, value in evaluation.metrics.items():
            mark = Text("最好", "best") if (name, step) in best else Text("", "")
            rows.append(
                [evaluation.step, evaluation.epoch, float(inside.mean()) if inside.size else None, name, value, mark]
            )
    heads = [
        Text("步", "step"),
        Text("epoch", "epoch"),
        Text("此前的训练 loss", "training loss since the one before"),
        Text("指标", "metric"),
        Text("值", "value"),
        Text("", ""),
    ]
    return table(Text("训练 loss 与评估结果", "Training loss and evaluations"), heads, rows, most=80)


def _loop_places(run_data: RunData) -> list:
    places = [step.place for step in run_data.train_steps if step.place]
    return [*places, *epochs_origin(run_data, places)]


def _worsened(curve: ValidationCurve) -> Text:
    return Text(
        "验证集的 {name} 在第 {step} 步最好（{best}），到第 {last} 步时最后 {n} 次的均值为 {end}",
        "{name} on the validation data was best at step {step} ({best}); the mean of its last {n}, up to step {last}, is {end}",
        name=curve.name,
        step=int(curve.steps[curve.best]),
        best=curve.shown(float(curve.values[curve.best])),
        last=int(curve.steps[-1]),
        n=curve.last,
        end=curve.shown(curve.end),
    )


def too_many(run_data: RunData, curve: ValidationCurve, shown: list) -> Finding:
    kept = keeps_best(run_data)
    begun = last_training_start(run_data)
    share = (float(curve.steps[curve.best]) - begun) / (last_step(run_data, curve) - begun)
    if kept:
        return ok(
            Text(
                "{what}；脚本保留了最好的权重（或提前停止），多余的 epoch 无碍。",
                "{what}; the script keeps the best weights or stops early, so the epochs after it do no harm.",
                what=_worsened(curve),
            ),
            [*shown, run_data.code_at(kept, Text("保留最好的权重", "Where the best weights are kept"), "script")],
            kept,
        )
    return problem(
        Text(
            "epoch 过多：{what}（训练的 {share} 处）。",
            "Too many epochs: {what} (after {share} of the training).",
            what=_worsened(curve),
            share=f"{100 * share:.0f} %",
        ),
        Text(
            "在验证指标最好的 epoch 停止（EarlyStopping），或保存并使用最好的权重；同时考虑正则化与数据增强。",
            "Stop where the validation is best (EarlyStopping), or save and use the best weights; consider regularisation and "
            "augmentation as well.",
        ),
        shown,
        _loop_places(run_data),
    )


def overfitted(run_data: RunData, gap: Gap, shown: list) -> Finding:
    if gap.score:
        beside = Text("最常见类别的占比为 {value}", "the most frequent class alone has {value}", value=gap.reference)
    elif gap.known:
        beside = Text("常数预测即可达到 {value}", "a constant prediction reaches {value}", value=gap.reference)
    else:
        beside = Text("训练开始时的 loss 为 {value}", "the training began at {value}", value=gap.reference)
    seen = Text(
        "训练 loss 已降到 {training}，而验证集的 {name} 停在 {value}（{beside}）",
        "the training loss is down at {training}, while {name} on the validation data stays at {value} ({beside})",
        training=gap.training,
        name=gap.name,
        value=gap.value,
        beside=beside,
    )
    if gap.regression and gap.gap > run_data.limit("hp.02.worse_than_constant"):
        return undecided(
            Text(
                "{seen}：比不看输入还差，记住训练样本不至于此；验证数据的处理很可能与训练不同。",
                "For this run {seen}: worse than without looking at the inputs, which memorising does not explain; the "
                "validation data are likely processed in another way.",
                seen=seen,
            ),
            Text(
                "先看 dp.02（处理流程）、api.02（推理模式）和 ds.02（标签），改正后再比较两条曲线。",
                "See dp.02 (processing), api.02 (inference mode) and ds.02 (labels) first, and compare the curves again then.",
            ),
            shown,
            _loop_places(run_data),
        )
    return problem(
        Text(
            "过拟合：{seen}。网络记住了训练样本；或验证数据的处理、标签与训练不一致。",
            "Overfitting: {seen}. The network has memorised the training samples, or the validation data are processed or "
            "labelled in another way.",
            seen=seen,
        ),
        Text(
            "先确认验证数据的处理与训练一致（dp.02）、验证时处于推理模式（api.02）；然后增加数据、数据增强、权重衰减或 "
            "Dropout，或减小网络，并提前停止。",
            "See first that the validation data are processed as the training data are (dp.02), in inference mode (api.02). Then "
            "add data, augmentation, weight decay or dropout, or take a smaller network, and stop earlier.",
        ),
        shown,
        _loop_places(run_data),
    )


def diverged(run_data: RunData, curve: ValidationCurve, shown: list) -> Finding:
    return undecided(
        Text(
            "训练发散，{what}；训练稳定之前，epoch 数的多少无从判断。",
            "The training diverges, and {what}. Until it is stable, the number of epochs cannot be judged.",
            what=_worsened(curve),
        ),
        Text(
            "先解决发散的原因（见 hp.01 与 td.01），再看曲线。",
            "Find first why it diverges (see hp.01 and td.01); then look at the curves again.",
        ),
        shown,
        _loop_places(run_data),
    )


def tells_nothing(odds: AtOdds, shown: list) -> Finding:
    return undecided(
        Text(
            "{what}：这一精度不说明 epoch 数的多少。",
            "It cannot be told from the validation whether there were too many epochs: {what}.",
            what=odds.words(),
        ),
        Text(
            "先使评估与训练所用的标签一致（见 ds.02），再看曲线。",
            "Let the evaluation use the labels of the training first (see ds.02); then look at the curves again.",
        ),
        shown,
        [odds.place] if odds.place else [],
    )


def learnt_nothing(run_data: RunData, outcome: BesideConstant, shown: list) -> Finding:
    return undecided(
        Text(
            "训练什么也没有学到：{what}；在此之前，epoch 数的多少无从判断。",
            "The training learnt nothing: {what}. Until it does, the number of epochs cannot be judged.",
            what=outcome.words(),
        ),
        _FIND_WHY,
        shown,
        _loop_places(run_data),
    )


def _falling(training: TrainingCurve) -> Text:
    return Text(
        "训练 loss 在最后五分之一中仍从 {before} 降到 {last}（全程下降的 {share}）",
        "the training loss still fell from {before} to {last} over the last fifth ({share} of its whole fall)",
        before=training.before,
        last=training.last,
        share=f"{100 * training.share:.0f} %",
    )


def too_few(run_data: RunData, training: TrainingCurve, curves: list, shown: list) -> Finding:
    what, places = _falling(training), _loop_places(run_data)
    left_open = _not_sure(run_data, what, curves, nearly_done(run_data, training))
    if left_open is not None:
        return undecided(*left_open, shown, places)
    return problem(
        Text(
            "epoch 过少：{epochs} 个 epoch 结束时{what}{too}。",
            "Too few epochs: at the end of {epochs} of them {what}{too}.",
            epochs=epochs_of(run_data),
            what=what,
            too=Text("，验证指标也仍在变好", ", and the validation is still getting better") if curves else "",
        ),
        Text(
            "增加 epoch，直到训练与验证的 loss 都不再下降；学习率计划随之拉长。",
            "Train on until the loss no longer falls, in training and in validation; stretch the rate's schedule with it.",
        ),
        shown,
        places,
    )


def _not_sure(run_data: RunData, what: Text, curves: list, nearly_done: bool) -> Optional[tuple[Text, Text]]:
    """Why a loss that falls steeply at the end does not mean too few epochs, and what would decide; None where it does."""
    if cut_off(run_data):
        return Text(
            "{what}；但运行是从外部中止的（{kind}），训练并没有到它自己的终点。",
            "{what}; but the run was ended from outside ({kind}), and the training did not come to its own end.",
            what=what,
            kind=run_data.run.exit.signal or run_data.run.exit.kind,
        ), Text("让脚本运行到结束。", "Let the script run to its end.")
    if learns_by_rewards(run_data):
        return Text(
            "{what}；但强化学习的数据随权重而变，loss 的走势不说明学习情况。",
            "{what}; but in reinforcement learning the data follow the weights, and the course of the loss tells nothing of what "
            "is learnt.",
            what=what,
        ), Text("看平均回报（return）随训练的变化。", "Look at the mean return over the training.")
    if lost_weight(run_data) is not None:
        return Text(
            "{what}；但 loss 下降靠的是其中的权重，而不是学到的内容（见 td.08）。",
            "{what}; but it is weights in the loss that bring it down, and nothing that is learnt (see td.08).",
            what=what,
        ), Text("按 td.08 修改后再判断。", "Judge again after what td.08 advises is done.")
    epochs, steps = epochs_of(run_data), run_data.training_steps - last_training_start(run_data)
    long_enough = (epochs or 0) >= run_data.limit("hp.02.epochs") or steps >= run_data.limit("hp.02.steps")
    # next to nothing learnt yet, over passes enough to tell the fall from the order of the data
    enough = (epochs or 0) >= 2 and steps >= run_data.limit("hp.02.early_steps")
    early = enough and learning_outcome(run_data).verdict in ("hardly", "nothing")
    if not curves and any(whole_graph(run_data, dataset) for dataset in run_data.datasets_of("train")):
        return Text(
            "{what}；但每一步都用同一张图中少数有标签的节点，没有验证就无法判断是否应继续训练。",
            "{what}; but each step sees the same labelled nodes of one graph, so without a validation it cannot be told "
            "whether to train on.",
            what=what,
        ), _EVALUATE
    if decayed(run_data):
        return Text(
            "{what}，但学习率此时已按计划降低，下降可能由此而来。",
            "{what}, but its schedule was lowering the learning rate then, which may be why.",
            what=what,
        ), Text(
            "用更多的 epoch 和相应拉长的学习率计划再训练一次，比较验证结果。",
            "Train once more with more epochs and a schedule stretched to them, and compare the validation.",
        )
    if not curves and run_data.silent_evaluations:
        return Text(
            "{what}；脚本在 {at} 评估了网络，但看不到评估的结果：验证指标可能已经变差。",
            "{what}; the script evaluates the network at {at}, and what comes out of it was not seen: the validation may "
            "have become worse already.",
            what=what,
            at=listed([at(place) for place in run_data.silent_evaluations[:3]]),
        ), _EVALUATE
    nowhere = leads_nowhere(run_data)
    if nowhere is not None:
        return Text(
            "{what}；但从结束时的权重以同样的学习率再训练 {steps} 步，"
            "未参与这些步的 batch 上的 loss 没有下降（{before} 到 {after}）。",
            "{what}; but {steps} steps more, from its last weights at the same rate, do not bring down the loss of batches kept "
            "back ({before} to {after}).",
            what=what,
            steps=nowhere[1].steps,
            before=nowhere[0].before,
            after=nowhere[1].after,
        ), _EVALUATE
    little = little_ahead(run_data)
    if little is not None:
        run, own = little
        return Text(
            "{what}；但样本是随机抽取的，没有 epoch 可数，而从结束时的权重再训练 {steps} 步，"
            "未参与这些步的 batch 上的 loss 只从 {before} 降到 {after}（开始时为 {level}）。",
            "{what}; but samples are drawn at random, so that no epochs can be counted, and {steps} steps more bring the loss of "
            "batches kept back only from {before} to {after}, where it began at {level}.",
            what=what,
            steps=own.steps,
            before=run.before,
            after=run.before - own.gain,
            level=run.level,
        ), _EVALUATE
    reached = held_out_share(run_data)
    if reached >= run_data.limit("hp.02.reached"):
        return Text(
            "{what}；但未参与训练的数据上的精度已走完从最常见类别的占比到 1 的 {share}，继续训练所得有限。",
            "{what}; but on data that it was not trained on the score has come {share} of the way from the most frequent "
            "class's share to 1: more epochs have little left to gain.",
            what=what,
            share=f"{100 * reached:.0f} %",
        ), _EVALUATE
    if classified_share(run_data) >= run_data.limit("hp.02.right"):
        return Text(
            "{what}；但最后的权重已把 {share} 的训练样本分对，继续训练只会让网络更有把握，精度所得有限。",
            "{what}; but the last weights classify {share} of the training samples right: more epochs would make the network "
            "surer, with little left to gain in accuracy.",
            what=what,
            share=f"{100 * run_data.probes.labels.accuracy:.1f} %",
        ), _EVALUATE
    if nearly_done and not early:
        return Text(
            "{what}；但训练已去掉起点（或常数预测）的 loss 的绝大部分，继续训练是否更好要看验证指标。",
            "{what}; but by far the most of the loss at the start, or of a constant prediction's, is gone, and whether more "
            "epochs would help is for the validation to say.",
            what=what,
        ), _EVALUATE
    if not (long_enough or early or only_begun(run_data) or broke_off(run_data)):
        return Text(
            "{what}；但只运行了 {epochs} 个 epoch、{steps} 步，不足以判断。",
            "{what}; but {epochs} epochs and {steps} steps are too short a run to judge.",
            what=what,
            epochs=epochs,
            steps=steps,
        ), Text("按正式的 epoch 数运行一遍。", "Run the number of epochs that you intend.")
    return None


def length_was_given(run_data: RunData) -> bool:
    """Whether the command line says how long to train."""
    return any(_LENGTH.match(word) for word in (run_data.run.command or [])[1:])


def cut_off(run_data: RunData) -> bool:
    """Whether somebody ended the run: how long the training was to go on is not known then."""
    return run_data.run.exit.kind in ("interrupt", "signal", "running")


def ends_too_soon(run_data: RunData, training: TrainingCurve, shown: list) -> Finding:
    return problem(
        Text(
            "epoch 过少：训练只有 {epochs} 个 epoch、{steps} 步，{what}，结束时仍在稳定下降，离收敛还远（开始时为 {first}）。",
            "Too few epochs: the training ends after {epochs} {noun} and {steps} steps; {what}, was falling steadily to the end, "
            "and has hardly begun to come down from {first}.",
            epochs=epochs_of(run_data),
            noun=english("epoch", epochs_of(run_data) or 0),
            steps=run_data.training_steps - last_training_start(run_data),
            what=_falling(training),
            first=training.first,
        ),
        Text(
            "增加 epoch，直到训练与验证的 loss 都不再下降。",
            "Train on until the loss no longer falls, in training and in validation.",
        ),
        shown,
        _loop_places(run_data),
    )


def ends_at_once(run_data: RunData, updates: int, shown: list) -> Finding:
    losses = run_data.steps().observed("loss")
    return problem(
        Text(
            "训练太短：从随机权重开始只有 {n} 次更新，loss 从 {first} 到 {last}。",
            "Too few epochs: {n} updates in all, from random weights, and the loss went from {first} to {last}.",
            n=updates,
            first=float(losses[0]),
            last=float(losses[-1]),
        ),
        Text(
            "增加 epoch（或减小 batch），使更新达到几百次以上，再看曲线。",
            "Train for more epochs, or with smaller batches, so that there are some hundreds of updates, and look at the curve.",
        ),
        shown,
        _loop_places(run_data),
    )


def goes_on(run_data: RunData, run: Further, shown: list) -> Finding:
    own: Any = run.own
    of = Text("未参与这些步的 batch 上的 ", " of batches kept back") if run.apart else Text("", "")
    what = Text(
        "训练在 {epochs} 个 epoch、{steps} 步后结束；从结束时的权重以同样的学习率再训练 {more} 步，"
        "{of}loss 还从 {before} 降到 {after}",
        "the training ends after {epochs} {noun} and {steps} steps; {more} steps more, from its last weights at the same rate, "
        "bring the loss{of} from {before} to {after}",
        of=of,
        epochs=epochs_of(run_data) or Text("未知数量", "an unknown number of"),
        noun=english("epoch", epochs_of(run_data) or 0),
        steps=run_data.training_steps - last_training_start(run_data),
        more=own.steps,
        before=run.before,
        after=own.after,
    )
    if length_was_given(run_data):
        return undecided(
            Text(
                "{what}；但训练的长短是由命令行给出的。",
                "{what}; but its length was given on the command line.",
                what=what,
            ),
            Text("按正式的 epoch 数运行一遍。", "Run the number of epochs that you intend."),
            shown,
            _loop_places(run_data),
        )
    return problem(
        Text("epoch 过少：{what}。", "Too few epochs: {what}.", what=what),
        Text(
            "增加 epoch，直到训练与验证的 loss 都不再下降。",
            "Train on until the loss no longer falls, in training and in validation.",
        ),
        shown,
        _loop_places(run_data),
    )


def of_curves(run_data: RunData, curves: list, turned: list, training: Optional[TrainingCurve], shown: list) -> Finding:
    if not curves:
        return _no_curve(run_data, training, shown)
    curve = curves[0]
    if turned:
        return ok(
            Text(
                "{what}，但其他指标此后仍在变好。",
                "{what}, but the score went on improving after it.",
                what=_worsened(turned[0]),
            ),
            shown,
        )
    level = training is not None and not is_steep(run_data, training)
    of_score = _of_poor_score(run_data, curves, shown)
    if of_score is not None:
        return of_score
    return ok(
        Text(
            "验证集的 {name} 在第 {step} 步最好（{best}），最后 {n} 次的均值为 {end}，没有回升{level}。",
            "{name} on the validation data was best at step {step} ({best}), the mean of its last {n} is {end}: it has not "
            "turned{level}.",
            name=curve.name,
            step=int(curve.steps[curve.best]),
            best=curve.shown(float(curve.values[curve.best])),
            n=curve.last,
            end=curve.shown(curve.end),
            level=Text("；训练 loss 也已平缓", "; the training loss has levelled off") if level else "",
        ),
        shown,
    )


def _of_poor_score(run_data: RunData, curves: list, shown: list) -> Optional[Finding]:
    """Undecided where the score on data of its own is that of the most frequent class, or less than hp.02.well of the way
    from there to 1 and still rising; None else."""
    share = held_out_share(run_data)
    score = next((one for one in curves if not one.low), None)
    if score is not None and -math.inf < share < run_data.limit("hp.01.learnt"):
        return undecided(
            Text(
                "训练什么也没有学到：验证集的 {name} 为 {end}，与总猜最常见类别相当；在此之前，epoch 数的多少无从判断。",
                "The training learnt nothing: {name} on the validation data is {end}, about that of always the most frequent "
                "class; until it does, the number of epochs cannot be judged.",
                name=score.name,
                end=score.shown(score.end),
            ),
            _FIND_WHY,
            shown,
            _loop_places(run_data),
        )
    poor = -math.inf < share < run_data.limit("hp.02.well")
    if score is not None and poor and not validation_flat(curves) and score.steps[score.best] >= score.steps[-2]:
        return undecided(
            Text(
                "验证集的 {name} 到结尾仍在变好（{end}），但还没有走完从最常见类别的占比到 1 的一半。",
                "{name} on the validation data was still getting better at the end ({end}), and has not come half of the way "
                "from the most frequent class's share to 1.",
                name=score.name,
                end=score.shown(score.end),
            ),
            Text(
                "训练更多 epoch，看它是否继续变好；若进展很慢，见 hp.01（学习率过小）。",
                "Train for more epochs and see whether it goes on; where it is slow, see hp.01 (too small a rate).",
            ),
            shown,
            _loop_places(run_data),
        )
    return None


def _no_curve(run_data: RunData, training: Optional[TrainingCurve], shown: list) -> Finding:
    begun = last_training_start(run_data)
    count = len({evaluation.step for evaluation in last_evaluations(run_data)})
    several = Text(
        "先后训练了几个网络，这里只看最后一个（第 {step} 步之后）。",
        "Several networks were trained one after the other; this is about the last (after step {step}).",
        step=begun,
    )
    state = Text(
        "只记录到 {n} 次评估，看不出曲线。",
        "{n} {noun} recorded: too few for a curve.",
        n=count,
        noun=english("evaluation was", count, "evaluations were"),
    )
    none = Text("没有记录到评估，无法比较训练与验证。", "No evaluation was recorded to compare with the training loss.")
    flat = training is not None and not is_steep(run_data, training)
    level = Text("训练 loss 已经平缓。", "The training loss has levelled off.") if flat else None
    return undecided(
        Joined([several if begun else None, state if count else none, level]),
        Joined([_unread(run_data), _EVALUATE]),
        shown,
    )


def _unread(run_data: RunData) -> Optional[Text]:
    """What has to change for the numbers of the script's own functions to be read."""
    names = {name for evaluation in run_data.evaluations if evaluation.via == "function" for name in evaluation.metrics}
    unnamed = sorted(name for name in names if not is_metric_name(name))
    if unnamed:
        return Text(
            "{names} 返回的数没有可识别的名称：返回名为 val_loss、accuracy 等的变量。",
            "The numbers that {names} gives have no name that tells which way is better: return variables called val_loss, "
            "accuracy and the like.",
            names=listed(unnamed),
        )
    if run_data.silent_evaluations:
        return Text(
            "{at} 的函数计算验证结果却不返回：让它返回 loss 或精度。",
            "The function at {at} evaluates and returns nothing: let it return the loss or the score.",
            at=listed([at(place) for place in run_data.silent_evaluations[:3]]),
        )
    return None
