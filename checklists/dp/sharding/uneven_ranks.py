"""Ranks whose samples do not count alike: batches of other sizes, inputs that each rank scaled by its own part (dp.05)."""

import ast
import math
from typing import Optional

import numpy as np

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import first_place
from msprec.checklists.common.ranks.rank_reduction import reducing_lines, sums_over_ranks
from msprec.checklists.common.ranks.sharding import Shard, divided, origins, training_sets
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: A mean that is no more than this share of its standard error, and a standard deviation no further than this from 1, are not
#: those of a part of data that were standardised together.
_BY_CHANCE, _STD = 0.05, 1e-3


def uneven_batches(run_data: RunData) -> Optional[Finding]:
    """Problem: the ranks' batches differ in size by dp.05.uneven or more at most steps, and their gradients are averaged as they
    are; undecided where the code multiplies what it sums over ranks; else None."""
    if not sums_over_ranks(run_data):
        return None
    sizes = {rank: _usual_batch(run_data, rank) for rank in run_data.ranks}
    known = {rank: size for rank, size in sizes.items() if size}
    if len(known) < 2:
        return None
    most, least = max(known.values()), min(known.values())
    if most < run_data.limit("dp.05.uneven") * least:
        return None
    places = [first_place(shard.dataset) for shard in training_sets(run_data)]
    says = Text(
        "各 rank 每步的样本数不同（{sizes}），而梯度按 rank 平均：样本少的 rank 上，每个样本的权重是其他 rank 的 {times} 倍。",
        "The ranks' batches differ in size ({sizes}), and their gradients are averaged over the ranks: a sample of the smallest "
        "batch counts {times} times as much as one of the largest.",
        sizes=listed(f"rank {rank}: {size:g}" for rank, size in known.items()),
        times=round(most / least, 2),
    )
    advice = Text(
        "让各 rank 的 batch 大小相同；做不到时，把每个 rank 的梯度乘以它的样本数，求和后除以总样本数。",
        "Give all ranks batches of one size; where that cannot be, multiply each rank's gradients by its number of samples, and "
        "divide their sum by the number of all.",
    )
    return (undecided if _weighs(run_data) else problem)(says, advice, [], places)


def _usual_batch(run_data: RunData, rank: int) -> Optional[float]:
    batches = run_data.steps(rank).observed("batch")
    return float(np.median(batches)) if len(batches) else None


def _weighs(run_data: RunData) -> bool:
    """Whether something is multiplied within the arguments of a call that sums over ranks."""
    calls = [
        call
        for where in reducing_lines(run_data)
        for call in run_data.source.nodes_at(where.file, where.line, ast.Call)
    ]
    given = [part for call in calls for argument in call.args for part in ast.walk(argument)]
    return any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult) for part in given)


def standardised_apart(run_data: RunData) -> Optional[Finding]:
    """Problem: on each rank the inputs of its own part have mean 0 and standard deviation 1 in every feature, closer than parts
    of data that were standardised together can, and the ranks' labels differ by dp.05.labels_differ; undecided where these are
    alike or not known; else None."""
    shards = training_sets(run_data)
    names = [{one.name for one in shard.dataset.columns if _standardised_alone(shard, one)} for shard in shards]
    common = sorted(set.intersection(*names)) if len(shards) > 1 else []
    if not common or not divided(run_data):
        return None
    says = Text(
        "各 rank 用自己那一片数据的均值和标准差标准化了 {column}：同一个原始值在不同 rank 上成为不同的数。",
        "Each rank standardised {column} by mean and deviation of its own part of the data: the same raw value is another number "
        "on each rank.",
        column=listed(common),
    )
    advice = Text(
        "用全部训练数据的均值和标准差（切分之前计算，或在各 rank 之间求和得到）。",
        "Take mean and deviation of all training data: before they are divided, or summed over the ranks.",
    )
    places = [first_place(shards[0].dataset), *origins(run_data, shards[0].dataset)]
    told = problem if _labels_differ(shards) >= run_data.limit("dp.05.labels_differ") else undecided
    return told(says, advice, [], places)


def _standardised_alone(shard: Shard, column: Fact) -> bool:
    """Whether every feature of a column has mean 0 and deviation 1, as only its own statistics give."""
    means, stds = column.channels.mean or [column.mean], column.channels.std or [column.std]
    samples = shard.sketch.samples or 0
    if column.kind != "float" or column.name == shard.dataset.label.column or not samples or None in [*means, *stds]:
        return False
    near = _BY_CHANCE / math.sqrt(samples)
    return all(abs(mean) <= near for mean in means) and all(abs(std - 1) <= _STD for std in stds)


def _labels_differ(shards: list) -> float:
    """How far the shares of the classes lie apart on two ranks, from 0 to 1: half of the sum of their differences."""
    shares = []
    for shard in shards:
        counts = shard.dataset.label.counts or {}
        total = sum(counts.values())
        if shard.dataset.label.kind != "class" or not total:
            return 0.0
        shares.append({name: count / total for name, count in counts.items()})
    pairs = [(one, other) for number, one in enumerate(shares) for other in shares[number + 1 :]]
    return max(0.5 * sum(abs(a.get(n, 0) - b.get(n, 0)) for n in {*a, *b}) for a, b in pairs)
