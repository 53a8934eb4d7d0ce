"""hp.03: Samples an update takes (batch × ranks × accumulation) against the updates an epoch makes."""

import ast
from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text, english
from msprec.checklists.common import declared_design
from msprec.checklists.common.findings import first_place, missing, no_training, note, op_place, train_sets
from msprec.checklists.common.reference.reference_findings import judged_with_reference
from msprec.checklists.common.script.setting_origin import BATCH, ArgumentName, argument_origin
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.training.further_training import further_training
from msprec.checklists.common.training.reinforcement import has_adversary, learns_by_rewards
from msprec.checklists.common.training.training_curves import TrainingCurve, is_steep, training_curve
from msprec.checklists.common.training.training_segments import rates_of
from msprec.checklists.common.training.whole_graph import whole_graph
from msprec.checklists.hp.batch_size.reference_batch import judge_reference_batch
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided, worst
from msprec.engine.item import item
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, plain_number


@item("hp.03", after=judged_with_reference(judge_reference_batch))
def batch_size(run_data: RunData) -> Finding:
    """Samples an update takes (batch × ranks × accumulation) against the updates an epoch makes, and what came of them.

    The guide calls 32 safe and 64 to 256 worth trying: up to hp.03.safe is fine, even when it is a whole small set. A larger
    batch is judged by what it did, on one rank or a thousand: it is a problem where the updates are few (hp.03.few_updates an
    epoch, hp.03.updates above hp.03.large, hp.03.few_in_all in the run) and the training learnt hardly more than a constant
    prediction (where none is known, its loss did not fall hp.03.fell times), or was still falling steeply at its end with less
    than hp.03.solved of that gone, unless as many updates again gain nothing; so it is with a smaller batch
    that is a whole set of hp.03.whole samples, in a run of fewer than hp.03.few_times updates, and one of hp.03.tiny samples or
    fewer in a training that learnt nothing or diverged. Where it learnt and levelled
    off, or fell with hp.03.updates an epoch, nothing suffered. Otherwise a baseline with a small batch decides.
    """
    if run_data.trains_nothing:
        return no_training()
    sets = train_sets(run_data)
    if not sets and "batch" not in run_data.steps():
        return missing("训练 batch 的大小", "size of the training batches")
    return worst([_batch(run_data, dataset) for dataset in sets or [None]])


def _batch(run_data: RunData, dataset: Optional[Fact]) -> Finding:
    if dataset is not None and whole_graph(run_data, dataset):
        return not_applicable(
            Text(
                "每一步都用同一张完整的图训练（{n} 个节点），没有 batch。",
                "Each step trains on one and the same whole graph ({n} nodes): there is no batch.",
                n=dataset.batch_size,
            )
        )
    batch = _samples_a_step(run_data, dataset)
    if not batch:
        return missing("训练 batch 的大小", "size of the training batches")
    ranks = run_data.run.rank_size or 1
    accumulation = _accumulation(run_data)
    total = batch * ranks * accumulation
    declared = declared_design.batch_size(run_data, total, [op_place(dataset, "batch")] if dataset is not None else [])
    if declared is not None:
        return declared
    samples = dataset.samples_per_pass if dataset is not None else None
    updates = _updates(dataset, samples, batch, accumulation) if dataset is not None and samples else None
    rows = [[batch, ranks, accumulation, total, samples, updates, total / samples / ranks if samples else None]]
    heads = [
        Text("每设备 batch", "batch a device"),
        Text("设备数", "devices"),
        Text("累积次数", "accumulation"),
        Text("全局 batch", "global batch"),
        Text("每遍样本（每设备）", "samples a pass (a device)"),
        Text("每个 epoch 的更新", "updates an epoch"),
        Text("占每遍样本", "share of a pass"),
    ]
    evidence = [table(Text("batch 与更新次数", "Batch and updates"), heads, rows), _rate(run_data, total)]
    made_at = (op_place(dataset, "batch", "padded_batch") or first_place(dataset)) if dataset is not None else None
    if made_at:
        evidence.append(run_data.code(made_at, Text("batch 的设置", "Where the batch is set")))
    return _judge(run_data, total, updates, evidence, made_at)


def _named(run_data: RunData, total: int, where: Fact) -> list:
    """Where a loop that cuts its batches by hand has their size: the step of the ``range`` that it goes through, a name, or an
    option of the command line."""
    for loop in reversed(run_data.source.enclosing(where.file, where.line)):
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and called_name(loop.iter) == "range":
            head = place(where.file, loop.lineno)
            found = argument_origin(run_data, head, ArgumentName((), 2), "range", total)
            if found or any(plain_number(one) == total for one in loop.iter.args[2:]):
                whole = len({ast.unparse(one) for one in loop.iter.args[1:]}) == 1  # range(0, n, n)
                return [*found, head] if whole else found or [head]
    option = rf"--(batch_?-?size|batch|bs)\b.*\bdefault\s*=\s*{total}\b"
    return run_data.find_lines(rf"(?i)\bn?_?(batch_?size|batch|bs)\s*[=:]\s*({total}\b|len\()|{option}", 2)


def _whole_set_a_few_times(run_data: RunData, total: int, updates: Optional[int]) -> bool:
    """Whether the one batch of an epoch is a whole set of hp.03.whole samples or more, in a run of fewer than hp.03.few_times
    updates."""
    made = made_updates(run_data)
    few = made is not None and made < run_data.limit("hp.03.few_times")
    return updates == 1 and few and total >= run_data.limit("hp.03.whole") and _course(run_data).suffers


def _updates(dataset: Fact, samples: int, batch: int, accumulation: int) -> int:
    """Updates a pass makes; a last batch that is not full counts unless it was dropped."""
    dropped = any(step.op in ("batch", "padded_batch") and step.args.get("drop_remainder") for step in dataset.pipeline)
    batches = samples // batch if dropped else -(-samples // batch)
    return max(1, batches // accumulation)


def _judge(run_data: RunData, total: int, updates: Optional[int], evidence: list, made_at: Optional[Fact]) -> Finding:
    safe = run_data.limit("hp.03.safe")
    if _of_single_samples(run_data, total, updates):
        return _tiny(run_data, total, updates, evidence, made_at)
    if total <= safe and not _whole_set_a_few_times(run_data, total, updates):
        return ok(
            Text(
                "全局 batch 为 {total}，在安全范围内（不超过 {safe}）；每个 epoch 更新 {updates} 次。",
                "The global batch is {total}, within the safe range (up to {safe}); updates an epoch: {updates}.",
                total=total,
                safe=safe,
                updates=updates,
            ),
            evidence,
        )
    made = made_updates(run_data)
    course = _course(run_data)
    words = Text(
        "全局 batch 为 {total}，{size}；每个 epoch 更新 {updates} 次，全程 {made} 次",
        "The global batch is {total}, {size}, with {updates} {noun} an epoch and {made} in all",
        total=total,
        size=Text("超出安全范围（不超过 {safe}）", "above the safe range (up to {safe})", safe=safe)
        if total > safe
        else Text("即整个训练集", "the whole training set"),
        updates=updates,
        noun=english("update", updates),
        made=made,
    )
    few = updates is not None and updates < run_data.limit("hp.03.few_updates")
    rare = updates is not None and total > run_data.limit("hp.03.large") and updates < run_data.limit("hp.03.updates")
    short = made is not None and made < run_data.limit("hp.03.few_in_all")
    if course.suffers and (few or rare or short) and not _more_gain_nothing(run_data, made):
        return problem(
            Text("{words}；{course}。", "{words}; {course}.", words=words, course=course.words),
            Text(
                "先用 32 到 256 的 batch 训练得到精度基线；若必须用大 batch，按比例增大学习率并加预热，或增加 epoch 数。",
                "Train with a batch of 32 to 256 first for a baseline; where a large one is needed, raise the learning rate in "
                "proportion and warm it up, or train for more epochs.",
            ),
            evidence,
            _set_at(run_data, total, made_at),
        )
    if course.settled or (course.falls and updates is not None and updates >= run_data.limit("hp.03.updates")):
        return ok(
            Text(
                "{words}；但{course}，看不出 batch 使训练受损。",
                "{words}; yet {course}: nothing shows that the batch does harm.",
                words=words,
                course=course.words,
            ),
            [*evidence, _warm_up(run_data)],
        )
    return undecided(
        Text(
            "{words}；{course}，仅凭大小无法判断是否影响精度。",
            "{words}; {course}. The size alone does not tell whether it costs accuracy.",
            words=words,
            course=course.words,
        ),
        Text(
            "用 32 到 256 的 batch（学习率按比例减小）训练一次，比较精度。",
            "Train once with a batch of 32 to 256 (and the learning rate lowered in proportion) and compare the "
            "accuracy.",
        ),
        evidence,
        [made_at] if made_at else [],
    )


def _more_gain_nothing(run_data: RunData, made: Optional[int]) -> bool:
    """Whether as many updates again, and hp.03.told, from the last weights on such batches, gain nothing: it is not their number
    that is missing."""
    run = run_data.once(further_training)
    own = run.own if run is not None else None
    told = max(made or 0, run_data.limit("hp.03.told"))
    return own is not None and bool(made) and own.steps >= told and own.gain <= 0


def _of_single_samples(run_data: RunData, total: int, updates: Optional[int]) -> bool:
    """Whether each update was made from hp.03.tiny samples or fewer, hp.03.updates times an epoch or more, in a training that
    learnt nothing or diverged; not in reinforcement learning, nor beside an adversary."""
    if total > run_data.limit("hp.03.tiny") or updates is None or updates < run_data.limit("hp.03.updates"):
        return False
    if learns_by_rewards(run_data) or has_adversary(run_data):
        return False
    return learning_outcome(run_data).verdict in ("nothing", "diverged")


def _tiny(run_data: RunData, total: int, updates: Optional[int], evidence: list, made_at: Optional[Fact]) -> Finding:
    return problem(
        Text(
            "全局 batch 只有 {total}：每次更新只看 {total} 个样本的梯度（每个 epoch {updates} 次），噪声很大，"
            "而训练没有学到东西或已发散。",
            "The global batch is {total}: each update follows the gradient of as many samples ({updates} updates an epoch), "
            "which is mostly noise, and the training learnt nothing or diverged.",
            total=total,
            updates=updates,
        ),
        Text(
            "用 16 到 64 的 batch 再训练；若必须这样小，把学习率和动量大幅降低。",
            "Train with a batch of 16 to 64; where it has to be so small, lower the learning rate and the momentum a lot.",
        ),
        evidence,
        _set_at(run_data, total, made_at),
    )


def _set_at(run_data: RunData, total: int, made_at: Optional[Fact]) -> list:
    """Where the batch is made, and where its size is written."""
    if not made_at:
        return []
    return [made_at, *(argument_origin(run_data, made_at, BATCH, "batch", total) or _named(run_data, total, made_at))]


class _Course(NamedTuple):
    """What the training came to: ``suffers``: it learnt too little, or was still falling steeply when it ended; ``settled``:
    it learnt and levelled off; ``falls``: its loss came down clearly."""

    words: Text
    suffers: bool = False
    settled: bool = False
    falls: bool = False


def _course(run_data: RunData) -> _Course:
    outcome, training = learning_outcome(run_data), training_curve(run_data)
    if outcome.verdict in ("nothing", "hardly"):
        falls = training is not None and training.first > run_data.limit("hp.03.fell") * training.last
        return _Course(outcome.words(), suffers=True, falls=falls)
    if training is None:
        seen = _ends(run_data)
        if seen is None:
            return _Course(Text("没有足够的 loss 可以判断走势", "too few losses were recorded to show a trend"))
        high = seen[1] > run_data.limit("hp.03.still_high") * seen[0] > 0
        return _Course(
            Text("loss 从 {first} 到 {last}", "the loss went from {first} to {last}", first=seen[0], last=seen[1]),
            suffers=high,
        )
    words = Text(
        "loss 从 {first} 降到 {last}", "the loss fell from {first} to {last}", first=training.first, last=training.last
    )
    if is_steep(run_data, training):
        still = Text("{words}，结束时仍在快速下降", "{words} and was still falling steeply at the end", words=words)
        solved = outcome.gain is not None and outcome.gain >= run_data.limit("hp.03.solved")
        return _Course(still, suffers=not solved, falls=True)
    if outcome.verdict == "unknown" and _as_it_was(run_data, training):
        return _Course(words, suffers=True)
    learnt = outcome.verdict == "learnt"
    falls = training.first > 0 and training.last < run_data.limit("hp.03.still_high") * training.first
    return _Course(words, settled=learnt, falls=learnt or falls)


def _as_it_was(run_data: RunData, training: TrainingCurve) -> bool:
    """Whether a loss hardly fell, where it has to and no weights were loaded."""
    aims = learns_by_rewards(run_data) or has_adversary(run_data) or bool(run_data.loads)
    return not aims and 0 < training.first <= run_data.limit("hp.03.fell") * training.last


def _ends(run_data: RunData) -> Optional[tuple]:
    """The first loss and the mean of the last tenth, of a run of a few steps."""
    losses = run_data.steps().observed("loss")
    losses = losses[np.isfinite(losses)]
    return (float(losses[0]), float(losses[-max(1, len(losses) // 10) :].mean())) if len(losses) >= 3 else None


def _accumulation(run_data: RunData) -> int:
    """Of how many batches the gradients go into an update; where the last of several alone does, td.04 says so."""
    updates = run_data.probes.gradients.updates
    if updates and all(one.last_alone for one in updates):
        return 1
    return max([step.accumulation or 1 for step in run_data.train_steps if step.count] or [1])


def made_updates(run_data: RunData) -> Optional[int]:
    """Updates of the weights that the run made, by the optimizers' own count; steps ÷ accumulation where there is none."""
    counted = [
        optimizer.updates for optimizer in run_data.optimizers if optimizer.used is not False and optimizer.updates
    ]
    if counted:
        return max(counted)
    accumulation = _accumulation(run_data)
    return run_data.training_steps // accumulation or None


def _warm_up(run_data: RunData):
    """A note where the rate rose at the beginning, as the rule of linear scaling asks for (Goyal et al. 2017)."""
    rates = rates_of(run_data)
    if len(rates) < 10 or not rates[0] < run_data.limit("hp.03.warm_up") * rates.max():
        return None
    return note(
        "学习率从 {first} 预热到 {top}（Goyal 等 2017：大 batch 配合按比例放大的学习率与预热）。",
        "The rate is warmed up from {first} to {top} (Goyal et al. 2017: a large batch with a rate scaled to it, and a warm-up).",
        first=float(rates[0]),
        top=float(rates.max()),
    )


def _samples_a_step(run_data: RunData, dataset: Optional[Fact]) -> Optional[int]:
    """As the steps saw it, else as the data set says; a set that is not batched delivers one sample a step."""
    if dataset is not None and dataset.batch_size:
        return dataset.batch_size
    seen = run_data.steps().observed("batch")
    usual = sorted(value for value in seen.tolist() if 1 <= value < 1e12)
    if usual:
        return int(usual[len(usual) // 2])
    if dataset is not None and dataset.batches and dataset.samples:
        return max(1, round(dataset.samples / dataset.batches))
    return None


def _rate(run_data: RunData, total: int):
    for optimizer in run_data.optimizers:
        first = optimizer.learning_rate.first
        if optimizer.used is not False and first:
            heads = [
                Text("优化器", "optimizer"),
                Text("初始学习率", "first learning rate"),
                Text("学习率/batch", "rate over batch"),
            ]
            return table(
                Text("学习率与 batch 的比例", "Learning rate and batch"),
                heads,
                [[optimizer.class_, first, first / total]],
            )
    return None
