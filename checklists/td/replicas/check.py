"""td.07: Whether the ranks of a data-parallel training keep the same weights, and which parameter drifts first."""

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.findings import no_training
from msprec.checklists.common.rank_disagreement import SLICED
from msprec.checklists.td.replicas.drift import Drift, drifts
from msprec.checklists.td.replicas.stale_copies import stale_copies
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData

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
    gradients are reduced, or the mode is data parallel; or, within one process, a target network or a moving average still has
    the weights of the start after td.07.updates updates. Statistics of BatchNorm are each rank's own and are no problem.
    """
    if run_data.trains_nothing:
        return no_training()
    stale = stale_copies(run_data)
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
    one_model = run_data.run.parallel.gradients_reduced or run_data.run.parallel.mode == "data_parallel"
    return _drifted(run_data, found) if one_model else _own_models(found)


def _drifted(run_data: RunData, found: dict) -> Finding:
    weights: Drift = found["weight"]
    reduced = run_data.run.parallel.gradients_reduced
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
            cause=_cause(found, reduced),
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
            *(step.place for step in run_data.train_steps if step.count),
            *(created.get(name) for name in weights.names[:3]),
        ],
    )


def _cause(found: dict, reduced) -> Text:
    states = found.get("optimizer")
    if _rates_differ(found):
        return Text("各 rank 的学习率不同。", "The learning rates of the ranks differ.")
    if not reduced:
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
