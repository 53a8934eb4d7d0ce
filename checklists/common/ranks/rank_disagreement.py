"""Where the ranks of a distributed run disagree, and which of them was first: shared by mp.01, wi.01 and dp.05."""

from typing import Optional

from msprec.bilingual import Joined, Text
from msprec.checklists.common.findings import note
from msprec.checklists.common.ranks.rank_reduction import sums_over_ranks
from msprec.engine.finding import Evidence, Finding, problem
from msprec.engine.ranks import disagreements, first_nonfinite, weights_differ
from msprec.engine.run_data import RunData

#: A seed that each rank has of its own.
_SEED_OF_RANK = r"(?i)\b(set_|manual_)?seed\([^#\n]*rank"
_WHAT = {
    "overflow": Text("溢出标志", "the overflow flag"),
    "scale": Text("loss scale", "the loss scale"),
    "steps": Text("训练步数", "the number of steps"),
    "weights": Text("初始权重", "the initial weights"),
}
_NON_FINITE = {
    "loss": Text("loss", "the loss"),
    "gradient": Text("梯度", "the gradients"),
    "parameter": Text("参数", "the parameters"),
}


def named(run_data: RunData, rank: int, summary: Text) -> Text:
    """The summary with the rank in front, where there are several."""
    if len(run_data.ranks) < 2:
        return summary
    return Text("rank {rank}：{summary}", "Rank {rank}: {summary}", rank=rank, summary=summary)


def rank_notes(run_data: RunData, *kinds: str) -> list:
    """What the ranks tell together, as evidence: the first to go non-finite, and disagreements of these ``kinds``."""
    if len(run_data.ranks) < 2:
        return []
    return [_first(run_data) if "overflow" in kinds else None] + [
        note(
            "各 rank 的{what}不一致{where}：{values}。",
            "The ranks disagree on {what}{where}: {values}.",
            what=_WHAT[one.what],
            where=_where(one),
            values=_values(one),
        )
        for one in disagreements(run_data.folder)
        if one.what in kinds
    ]


def _first(run_data: RunData) -> Optional[Evidence]:
    found = first_nonfinite(run_data.folder)
    if found is None:
        return None
    return note(
        "最先出现非有限值的是 rank {ranks} 的{what}，在第 {step} 步。",
        "The first to go non-finite: {what} of rank {ranks}, at step {step}.",
        ranks=", ".join(map(str, found.ranks)),
        what=_NON_FINITE.get(found.what, found.what),
        step=found.step,
    )


def _where(one) -> Text:
    if one.step is not None:
        return Text("（首次在第 {step} 步）", " (first at step {step})", step=one.step)
    if one.name is not None:
        return Text("（例如 {name}）", " (such as {name})", name=one.name)
    return Text("", "")


def _values(one) -> Joined:
    parts = [Text("rank {rank} {value}", "rank {rank} {value}", rank=r, value=v) for r, v in one.values.items()]
    return Joined(parts, zh="，", en=", ")


def scales_apart(run_data: RunData) -> Optional[Finding]:
    """Ranks that add up their gradients and yet skip different steps, or scale their losses differently; or None."""
    apart = [one for one in disagreements(run_data.folder) if one.what in ("overflow", "scale")]
    if not apart or not sums_over_ranks(run_data):
        return None
    one, first = min(apart, key=lambda one: one.step), first_nonfinite(run_data.folder)
    if first is not None and first.step < one.step:
        return None  # what went non-finite before may have parted them
    return problem(
        Text(
            "从第 {step} 步起，各 rank 的{what}不一致（{values}），而它们的梯度是一起求和的：被跳过的更新不同，权重会随之分离。",
            "From step {step} on the ranks disagree on {what} ({values}), though their gradients are added up: they skip "
            "different updates, and their weights come apart.",
            step=one.step,
            what=_WHAT[one.what],
            values=_values(one),
        ),
        Text(
            "让所有 rank 使用同一个溢出结论：对溢出标志做 AllReduce，或使用 MindSpore 自带的 loss scale Cell。",
            "Let all ranks act on one overflow flag: reduce it with AllReduce, or use MindSpore's own loss-scale cells.",
        ),
        rank_notes(run_data, "overflow", "scale"),
        [step.place for step in run_data.train_steps],
    )


def weights_apart(run_data: RunData) -> Optional[Finding]:
    """Ranks that add up their gradients, start with other weights and end with other weights; or None.

    Weights that are brought together after the first look, as by ``parameter_broadcast``, are alike in the end.
    """
    apart = next((one for one in disagreements(run_data.folder) if one.what == "weights"), None)
    if apart is None or not sums_over_ranks(run_data) or not weights_differ(run_data.folder, run_data.ranks, "final"):
        return None
    return problem(
        Text(
            "各 rank 的初始权重不同（例如 {name}），训练结束时仍不同，而它们的梯度是一起求和的：各 rank 训练的不是同一个模型。",
            "The ranks start with different weights (such as {name}) and still have different ones at the end, though "
            "their gradients are added up: they do not train one model.",
            name=apart.name,
        ),
        Text(
            "在每个 rank 上用同一个种子（mindspore.set_seed）创建网络，或设置 parameter_broadcast=True，或加载同一个检查点。",
            "Create the network with one seed on every rank (mindspore.set_seed), or set parameter_broadcast=True, or load "
            "one checkpoint everywhere.",
        ),
        rank_notes(run_data, "weights"),
        [
            *run_data.find_lines(_SEED_OF_RANK, 3),
            *(network.place for network in run_data.networks if network.role == "train"),
        ],
    )
