"""td.07: Whether the ranks of a data-parallel training keep the same weights, and which parameter drifts first."""

import ast
from typing import Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.findings import no_training
from msprec.checklists.common.ranks.rank_disagreement import named
from msprec.checklists.common.ranks.rank_reduction import SLICED, reducing_lines, sums_over_ranks
from msprec.checklists.common.ranks.sharding import divided
from msprec.checklists.common.script.call_sites import optimizer_calls
from msprec.checklists.td.replicas.drift import Drift, drifts
from msprec.checklists.td.replicas.live_average import live_average
from msprec.checklists.td.replicas.lost_copies import lost_copies
from msprec.checklists.td.replicas.stale_copies import stale_copies
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData

#: Ranks whose copies are looked at, and lines that are named of each kind.
_RANKS, _LINES = 8, 6
#: A line that gives weights what is summed over ranks, and one that speaks of gradients.
_ASSIGNS, _GRADIENTS = r"assign\(|set_data\(|\.copy_\(", r"(?i)grad"
_KINDS = {
    "weight": Text("权重", "weights"),
    "optimizer": Text("优化器状态", "optimizer states"),
    "rate": Text("学习率", "learning rates"),
    "statistic": Text("BatchNorm 等的统计量", "statistics, as of BatchNorm"),
}


@item("td.07")
def replicas(run_data: RunData) -> Finding:
    """Whether the ranks of a data-parallel training keep the same weights, and which parameter drifts first.

    Digests of all parameters are taken on every rank before the same steps. Problem: the weights are equal at the first look,
    differ at a later one and at the end by more than td.07.apart of their norm, and the ranks train one model: their
    gradients are reduced, the mode is data parallel, the code sums over ranks, or each has samples of its own of one set.
    Weights that the code averages now and then may differ between; half of them td.07.far of their norm apart were not. Or,
    within one process, also of another rank than 0, a target network or a moving average still has the weights of the start
    after td.07.updates updates, or a moving average is written into the network that trains after each. Statistics of BatchNorm
    are each rank's own and are no problem.
    """
    if run_data.trains_nothing:
        return no_training()
    stale = (
        stale_copies(run_data) or lost_copies(run_data) or live_average(run_data) or _stale_on_another_rank(run_data)
    )
    if stale is not None:
        return stale
    ranks = run_data.ranks
    if len(ranks) < 2 or run_data.run.parallel.mode in SLICED:
        return not_applicable(
            Text(
                "训练只有一个进程，或各 rank 持有不同的切片。",
                "One process trains, or each rank holds slices of its own.",
            )
        )
    found = drifts(run_data)
    if not found:
        return undecided(
            Text(
                "没有记录到各 rank 在同一步的权重摘要。",
                "No digests of the weights at the same steps of all ranks were recorded.",
            ),
            Text("在每个 rank 上用 `msprec run` 运行。", "Run every rank with `msprec run`."),
        )
    weights = found["weight"]
    if not weights.apart_at_end:
        return _equal(run_data, found)
    if weights.first == weights.steps[0]:
        return _other_start(run_data, found)
    if run_data.run.parallel.mode != "data_parallel" and not sums_over_ranks(run_data) and not divided(run_data):
        return _own_models(found)
    far = weights.typical >= run_data.limit("td.07.far")
    return _drifted(run_data, found) if far or not _averages_weights(run_data) else _brought_together(run_data, found)


def _stale_on_another_rank(run_data: RunData) -> Optional[Finding]:
    """A problem with a copy on another rank than 0, as a target network that rank 0 alone updates."""
    for rank in run_data.ranks[1:_RANKS]:
        found = stale_copies(run_data.of_rank(rank))
        if found is not None and found.conclusion == "problem":
            found.summary = named(run_data, rank, found.summary)
            found.locations += [one for at in found.locations for one in _conditions(run_data, at)]
            return found
    return None


def _conditions(run_data: RunData, at: dict) -> list:
    """The conditions around a place, by which a rank may not come to it."""
    around = run_data.source.enclosing(at["file"], at["line"])
    return [{"file": at["file"], "line": one.lineno} for one in around if isinstance(one, ast.If)]


def _averages_weights(run_data: RunData) -> bool:
    """Whether the code sums weights over ranks, in place of gradients: it assigns what it sums."""
    return any(
        run_data.matches_at(_ASSIGNS, one) and not run_data.matches_at(_GRADIENTS, one)
        for one in run_data.once(reducing_lines)
    )


def _brought_together(run_data: RunData, found: dict) -> Finding:
    return undecided(
        Text(
            "各 rank 的权重从第 {first} 步之前起不同；代码对权重（而不是梯度）取平均，两次平均之间权重本来就不同。",
            "The weights of the ranks differ before step {first} on; the code averages weights, not gradients, and between two "
            "averages they differ by design.",
            first=found["weight"].first,
        ),
        Text(
            "确认训练结束或保存检查点之前做过一次平均。",
            "See that they are averaged once more before the training ends or a checkpoint is saved.",
        ),
        [_table(found)],
        run_data.once(reducing_lines)[:3],
    )


def _drifted(run_data: RunData, found: dict) -> Finding:
    weights: Drift = found["weight"]
    created = {p.name: p.created for p in run_data.parameters}
    return problem(
        Text(
            "各 rank 的权重在第 {before} 步之前还相同，到第 {first} 步之前已不同；最先不同的是 {names}{share}。{cause}",
            "The weights of the ranks are equal before step {before} and differ before step {first}; the first to differ: "
            "{names}{share}. {cause}",
            before=weights.last_equal,
            first=weights.first,
            names=listed(weights.names),
            share=Text("（结束时相差 {x} 倍范数）", " (apart by {x} of their norm at the end)", x=weights.distance),
            cause=_cause(run_data, found),
        ),
        Text(
            "对每个 rank 的梯度做 nn.DistributedGradReducer（或 AllReduce）后再更新；"
            "归约之后的操作（噪声、裁剪、学习率、跳过更新）在每个 rank 上必须相同。",
            "Reduce the gradients of every rank (nn.DistributedGradReducer, or AllReduce) before the update; what follows the "
            "reduction (noise, clipping, learning rate, skipped updates) has to be the same on every rank.",
        ),
        [_table(found)],
        [
            *(one.place for one in run_data.optimizers if one.used and _rates_differ(found)),
            *optimizer_calls(run_data)[:_LINES],
            *(step.place for step in run_data.train_steps if step.count),
            *run_data.once(reducing_lines)[:_LINES],
            *(created.get(name) for name in weights.names[:3]),
        ],
    )


def _cause(run_data: RunData, found: dict) -> Text:
    states = found.get("optimizer")
    if _rates_differ(found):
        return Text("各 rank 的学习率不同。", "The learning rates of the ranks differ.")
    if not run_data.run.parallel.gradients_reduced:
        if run_data.once(reducing_lines):
            return Text(
                "代码中的归约没有执行到，或没有作用于全部梯度。",
                "The reduction that the code has does not run, or not on all gradients.",
            )
        return Text("没有看到梯度归约。", "No reduction of gradients was seen.")
    if states is not None and states.first is not None and states.first <= found["weight"].first:
        return Text(
            "优化器状态同时或更早不同：各 rank 的梯度就已不同。",
            "The optimizer's states differ as early: the gradients of the ranks differ already.",
        )
    return Text(
        "优化器状态仍然相同：不同之处在更新本身，例如学习率。",
        "The optimizer's states are still equal: the updates differ, such as by their learning rate.",
    )


def _rates_differ(found: dict) -> bool:
    rates = found.get("rate")
    return rates is not None and rates.first is not None and rates.first <= found["weight"].first


def _own_models(found: dict) -> Finding:
    return undecided(
        Text(
            "各 rank 的权重从第 {first} 步之前起不同，没有看到梯度归约：各 rank 可能本来就各自训练。",
            "The weights of the ranks differ before step {first} on, and no reduction of gradients was seen: each may train a "
            "model of its own.",
            first=found["weight"].first,
        ),
        Text(
            "若应训练同一个模型，设置 ParallelMode.DATA_PARALLEL 并归约梯度。",
            "Where they are to train one model, set ParallelMode.DATA_PARALLEL and reduce the gradients.",
        ),
        [_table(found)],
    )


def _other_start(run_data: RunData, found: dict) -> Finding:
    return undecided(
        Text(
            "各 rank 的权重在第一次查看时就不同，无法看出是否还会分离；见 wi.01。",
            "The weights of the ranks differ at the first look already, so whether they come apart cannot be seen; see wi.01.",
        ),
        Text(
            "让每个 rank 从同样的权重开始，再运行一次。",
            "Let every rank start with the same weights, and run once more.",
        ),
        [_table(found)],
    )


def _equal(run_data: RunData, found: dict) -> Finding:
    statistics = found.get("statistic")
    own = statistics is not None and statistics.first is not None
    return ok(
        Text(
            "{n} 个 rank 的权重在第 {steps} 步之前及结束时都相同{own}。",
            "The weights of {n} ranks are equal before steps {steps} and at the end{own}.",
            n=len(run_data.ranks),
            steps=listed(found["weight"].steps[:-1]),
            own=Text("；BatchNorm 等的统计量各不相同，这是正常的", "; statistics, as of BatchNorm, are each rank's own")
            if own
            else "",
        ),
        [_table(found)],
    )


def _table(found: dict):
    rows = [
        [
            _KINDS[kind],
            one.parameters,
            one.last_equal,
            one.first,
            Joined(one.names[:3], zh="、", en=", "),
            one.distance,
        ]
        for kind, one in found.items()
    ]
    heads = [
        Text("种类", "kind"),
        Text("个数", "number"),
        Text("最后相同于第几步之前", "equal before step"),
        Text("最先不同于第几步之前", "differ before step"),
        Text("最先不同的", "first to differ"),
        Text("结束时的相对距离", "relative distance at the end"),
    ]
    return table(Text("各 rank 的参数", "Parameters of the ranks"), heads, rows)
