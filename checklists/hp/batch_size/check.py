"""hp.03: Samples an update takes (batch × ranks × accumulation) against the updates an epoch makes."""

import re
from typing import Optional

from msprec.bilingual import Text, english
from msprec.checklists.common import declared_design
from msprec.checklists.common.findings import first_place, missing, no_training, op_place, plain_arrays, train_sets
from msprec.checklists.common.reference_findings import judged_with_reference
from msprec.checklists.hp.batch_size.reference_batch import judge_reference_batch
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided, worst
from msprec.engine.item import item
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


@item("hp.03", after=judged_with_reference(judge_reference_batch))
def batch_size(run_data: RunData) -> Finding:
    """Samples an update takes (batch × ranks × accumulation) against the updates an epoch makes.

    The guide calls 32 safe and 64 to 256 worth trying: up to hp.03.safe is fine, even when it is a whole small set.
    Above it, fewer than hp.03.few_updates updates an epoch are a problem; above hp.03.large fewer than hp.03.updates.
    Large batches with many updates can train well or badly: between the safe range and hp.03.large they pass with
    hp.03.updates updates, otherwise a baseline with a small batch decides.
    """
    if run_data.trains_nothing:
        return no_training()
    sets = train_sets(run_data)
    if not sets and "batch" not in run_data.steps():
        return missing("训练 batch 的大小", "size of the training batches")
    return worst([_batch(run_data, dataset) for dataset in sets or [None]])


def _whole_graph(dataset: Fact) -> bool:
    """Whether each step is given one whole graph: its adjacency among plain arrays that are the same each time."""
    if not plain_arrays(dataset) or dataset.samples_per_pass != dataset.batch_size:
        return False
    square = any(len(column.shape) == 1 and column.shape[0] == dataset.batch_size for column in dataset.columns)
    return square or any(re.search(r"(^|_)(adj|edge|graph|laplac)", column.name or "") for column in dataset.columns)


def _batch(run_data: RunData, dataset: Optional[Fact]) -> Finding:
    if dataset is not None and _whole_graph(dataset):
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
    accumulation = max([step.accumulation or 1 for step in run_data.train_steps if step.count] or [1])
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
        Text("每轮样本（每设备）", "samples a pass (a device)"),
        Text("每轮更新", "updates an epoch"),
        Text("占每轮样本", "share of a pass"),
    ]
    evidence = [table(Text("batch 与更新次数", "Batch and updates"), heads, rows), _rate(run_data, total)]
    place = (op_place(dataset, "batch", "padded_batch") or first_place(dataset)) if dataset is not None else None
    if place:
        evidence.append(run_data.code(place, Text("batch 的设置", "Where the batch is set")))
    return _judge(run_data, total, updates, evidence, place)


def _updates(dataset: Fact, samples: int, batch: int, accumulation: int) -> int:
    """Updates a pass makes; a last batch that is not full counts unless it was dropped."""
    dropped = any(step.op in ("batch", "padded_batch") and step.args.get("drop_remainder") for step in dataset.pipeline)
    batches = samples // batch if dropped else -(-samples // batch)
    return max(1, batches // accumulation)


def _judge(run_data: RunData, total: int, updates: Optional[int], evidence: list, place: Optional[Fact]) -> Finding:
    safe = run_data.limit("hp.03.safe")
    if total <= safe:
        return ok(
            Text(
                "全局 batch 为 {total}，在安全范围内（不超过 {safe}）；每轮更新 {updates} 次。",
                "The global batch is {total}, within the safe range (up to {safe}); updates an epoch: {updates}.",
                total=total,
                safe=safe,
                updates=updates,
            ),
            evidence,
        )
    large = total > run_data.limit("hp.03.large")
    words = Text(
        "全局 batch 为 {total}，超出安全范围（不超过 {safe}）；每轮只更新 {updates} 次",
        "The global batch is {total}, above the safe range (up to {safe}), with {updates} {noun} an epoch",
        total=total,
        safe=safe,
        updates=updates,
        noun=english("update", updates),
    )
    few = run_data.limit("hp.03.updates") if large else run_data.limit("hp.03.few_updates")
    if updates is not None and updates < few:
        return problem(
            Text("{words}。", "{words}.", words=words),
            Text(
                "先用 32 到 256 的 batch 训练得到精度基线；若必须用大 batch，按比例增大学习率并加预热。",
                "Train with a batch of 32 to 256 first for a baseline; where a large one is needed, raise the "
                "learning rate in proportion and warm it up.",
            ),
            evidence,
            [place] if place else [],
        )
    if updates is not None and not large and updates >= run_data.limit("hp.03.updates"):
        return ok(
            Text(
                "全局 batch 为 {total}，略高于安全范围（{safe}），但每轮仍更新 {updates} 次。",
                "The global batch is {total}, somewhat above the safe range ({safe}), yet an epoch makes {updates} "
                "updates.",
                total=total,
                safe=safe,
                updates=updates,
            ),
            evidence,
        )
    return undecided(
        Text(
            "{words}；仅凭大小无法判断是否影响精度。",
            "{words}; its size alone does not tell whether it costs accuracy.",
            words=words,
        ),
        Text(
            "用 32 到 256 的 batch（学习率按比例减小）训练一次，比较精度。",
            "Train once with a batch of 32 to 256 (and the learning rate lowered in proportion) and compare the "
            "accuracy.",
        ),
        evidence,
        [place] if place else [],
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
