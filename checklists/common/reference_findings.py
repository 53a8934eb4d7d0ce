"""The reference run in the findings: a sentence in the items that it points at, and a section of its own."""

from typing import Optional

import numpy as np

from msprec.bilingual import Joined, Text
from msprec.checklists.common.fact_differences import Compared, share_of_other_values
from msprec.checklists.common.findings import first_place, op_place
from msprec.checklists.common.loss_divergence import ITEM_OF, ReferenceComparison
from msprec.checklists.hp.learning_rate.learning_rate import course
from msprec.compare.losses import losses_text
from msprec.compare.losses.compare import ROUNDING, Parting
from msprec.engine.finding import Evidence, Finding, plain, problem, table, text
from msprec.engine.run_data import RunData

_TITLE = Text("与标杆运行对比", "Against the reference run")
#: Points of the figure's curves.
_POINTS = 1500


def attach(id: str, run_data: RunData, finding: Finding) -> Finding:
    """The finding on an item with what the reference run says of it.

    A difference alone is shown and changes no conclusion. It does where the item asks for it, or where it is what parts the
    runs and the run is far behind the reference; see `_UPGRADES`.
    """
    against = run_data.against
    if against is None or run_data.trains_nothing:
        return finding
    upgrade = _UPGRADES.get(id)
    raised = upgrade(run_data, against, finding) if upgrade is not None and finding.conclusion != "problem" else None
    found = raised or finding
    says = sentences(id, against)
    if says:
        evidence = text(_TITLE, Joined(says, zh="", en=" "), "reference")
        found.evidence.insert(0, evidence)
    return found


def sentences(id: str, against: ReferenceComparison) -> list:
    """What the item says of the reference run: the facts that differ, and what the losses point at."""
    says = [_whole(one.says) for kind, item in ITEM_OF.items() if item == id for one in against.differing(kind)]
    if id == "wi.02" and against.loaded_there and not against.loaded_here:
        file = _file(against.reference.loads)
        none = Text(
            "这里没有加载任何权重，而标杆运行加载了 {file}",
            "which loaded {file}, this run loaded no weights",
            file=file,
        )
        says.append(_whole(none))
    initial = against.initial
    if initial is not None and id == against.item_of(initial):
        says.append(_whole(initial.says))
    pointed = against.pointed().get(id)
    return [*says, pointed] if pointed is not None else says


def _whole(says: Text) -> Text:
    return Text("与标杆运行相比，{says}。", "Beside the reference run, {says}.", says=says)


# --- conclusions that a reference run changes ----------------------------------------------------------------------


def _rate(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """hp.01: another rate, the same optimizer, and a run that falls far behind from where the rates differ."""
    rate, batch = against.facts["rate"], against.facts["batch"]
    if finding.conclusion == "not_applicable" or not rate.differs or against.facts["optimizer"].differs:
        return None
    factor = run_data.limit("hp.01.reference_ratio")
    if rate.ratio is None or 1 / factor < rate.ratio < factor or not against.far_worse:
        return None
    if batch.differs and batch.ratio and 0.8 <= rate.ratio / batch.ratio <= 1.25:
        return None  # the rate follows the batch
    from_the_start = against.case in ("second", "later") and rate.step is not None and rate.step <= against.step
    stuck = course(run_data).kind in ("diverged", "swings", "still")
    if not (from_the_start or stuck):
        return None
    large = rate.ratio > 1
    return problem(
        Text(
            "{says}；{ends}：学习率过{size}。",
            "{says}; {ends}: it is too {size}.",
            says=_Capital(rate.says),
            ends=_ends(against),
            size=Text("大", "large") if large else Text("小", "small"),
        ),
        Text(
            "改用标杆运行的学习率再运行；若有意使用另一个学习率，先用 `msprec lr SCRIPT` 求出它的范围。",
            "Run again with the reference run's rate; where another is meant, find its range with `msprec lr SCRIPT` first.",
        ),
        finding.evidence,
        [optimizer.place for optimizer in run_data.optimizers if optimizer.used is not False],
    )


class _Capital(Text):
    """A sentence at the beginning of a line."""

    __slots__ = ("says",)

    def __init__(self, says: Text):
        super().__init__("", "")
        self.says = says

    def render(self, lang: str) -> str:
        words = self.says.render(lang)
        return words[:1].upper() + words[1:]


def _ends(against: ReferenceComparison) -> Text:
    ends = against.ends
    if ends.broken:
        return Text(
            "最后的 loss 不是有限值，标杆运行降到 {there}",
            "its last losses are not finite, while the reference run comes down to {there}",
            there=ends.last_a,
        )
    return Text(
        "在 {n} 个共同 step 之后 loss 为 {here}，标杆运行为 {there}",
        "after {n} common steps the loss is {here}, in the reference run {there}",
        n=len(against.parting.steps),
        here=ends.last_b,
        there=ends.last_a,
    )


def _batch(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """hp.03: a batch that has grown beyond the safe range without its learning rate, in a run far behind."""
    batch, rate = against.facts["batch"], against.facts["rate"]
    if finding.conclusion == "not_applicable" or not batch.differs or (batch.ratio or 0) < 2 or not against.far_worse:
        return None
    total = batch.rows[0][2]
    grown = rate.ratio if rate.differs else 1.0 if rate.state == "equal" else None
    if total <= run_data.limit("hp.03.safe") or grown is None or grown > 1.2:
        return None
    return problem(
        Text(
            "{says}，学习率却没有随之增大；{ends}。",
            "{says}, yet the learning rate has not grown with it; {ends}.",
            says=_Capital(batch.says),
            ends=_ends(against),
        ),
        Text(
            "用标杆运行的 batch 训练，或把学习率按比例增大并加预热。",
            "Train with the reference run's batch, or raise the learning rate in proportion and warm it up.",
        ),
        finding.evidence,
        [
            op_place(dataset, "batch", "padded_batch") or first_place(dataset)
            for dataset in run_data.datasets_of("train")
        ],
    )


def _api(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """api.01: an optimizer set otherwise where the first losses are equal, or weights that start from another distribution
    where the first losses differ; not in a run that keeps up with the reference."""
    if against.keeps_up:
        return None
    optimizer, initial = against.facts["optimizer"], against.initial
    if optimizer.differs and against.case in ("second", "later"):
        says, places = optimizer.says, [o.place for o in run_data.optimizers if o.used is not False]
    elif initial is not None and against.case == "first" and not (against.loaded_here or against.loaded_there):
        names = {row[0].values["name"] for row in initial.rows}
        made = [parameter.created for parameter in run_data.parameters if parameter.name in names and parameter.created]
        says, places = initial.says, made or [network.place for network in run_data.networks if network.role == "train"]
    else:
        return None
    return problem(
        Text(
            "与标杆运行相比，{says}，loss 从那里分开。",
            "Beside the reference run, {says}, and the losses part there.",
            says=says,
        ),
        Text(
            "把这些参数明确写成标杆脚本的值（默认值在两个框架中可能不同），再运行比较。",
            "Write these arguments out with the benchmark's values (defaults may differ between frameworks), and compare again.",
        ),
        finding.evidence,
        [place for place in places if place],
    )


def _weights(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """wi.02: the reference starts from weights that were loaded, and most of this run's start with other values."""
    if not against.loaded_there:
        return None
    loads = [load for load in run_data.loads if not load.optimizer]
    # a new head is drawn at random in each of the runs
    if (share_of_other_values(run_data) or 0.0) <= 0.5:
        return None
    places = [load.place for load in loads] or [
        network.place for network in run_data.networks if network.role == "train"
    ]
    return problem(
        Text(
            "标杆运行从加载的权重（{file}）开始训练，{here}。",
            "The reference run starts from weights that it loaded ({file}); {here}.",
            file=_file(against.reference.loads),
            here=_instead(against),
        ),
        Text(
            "加载与标杆运行相同的权重（比较两个文件：`msprec compare weights`），并确认训练开始前没有被改写。",
            "Load the weights of the reference run (compare the files with `msprec compare weights`), and make sure that nothing "
            "changes them before training.",
        ),
        finding.evidence,
        places,
    )


def _instead(against: ReferenceComparison) -> Text:
    if not against.loaded_here:
        return Text("这里没有加载任何权重", "this run loaded none")
    if against.initial is not None:
        return Text("这里加载的不同：{says}", "those loaded here are others: {says}", says=against.initial.says)
    return Text("这里加载的值与之不同", "those loaded here have other values")


def _file(loads: list) -> str:
    names = [load.file for load in loads if load.file and not load.optimizer]
    return names[0].replace("\\", "/").rsplit("/", 1)[-1] if names else "?"


_UPGRADES = {"hp.01": _rate, "hp.03": _batch, "api.01": _api, "wi.02": _weights}


# --- the section ---------------------------------------------------------------------------------------------------


def section(run_data: RunData, lang: str) -> Optional[dict]:
    """``reference_run`` of checklist.json: the conclusion in sentences, the figure, the facts that differ. None without one."""
    against = run_data.against
    if against is None:
        return None
    evidence = [_figure(against), _table(against)]
    return {
        "name": against.name,
        "case": against.case or None,
        "conclusion": [plain(line, lang) for line in _conclusion(against, lang)],
        "evidence": [piece.as_dict(lang) for piece in evidence if piece is not None],
    }


def _conclusion(against: ReferenceComparison, lang: str) -> list:
    if against.parting is None:
        return [Text("无法比较 loss：{why}。", "The losses cannot be compared: {why}.", why=against.unavailable_reason)]
    lines = losses_text.conclusion(against.parting, ROUNDING, lang)
    return [*lines[:1], *_ruled_out(against), *lines[1:]]


def _ruled_out(against: ReferenceComparison) -> list:
    """What the facts of both runs add to the course of the losses."""
    lines = []
    if against.case in ("equal", "noise") and len(against.parting.steps) >= 20:
        lines.append(
            Text(
                "整条曲线一致：若精度不符合预期，标杆脚本大概率有同样的问题。",
                "The whole courses agree: where the accuracy falls short, the benchmark most likely has the same problem.",
            )
        )
    if against.case == "first" and against.random:
        what = {"initial": Text("初始权重", "initial weights"), "order": Text("样本的次序", "order of the samples")}
        names = Joined([what[kind] for kind in against.random], zh="、", en=" and ")
        lines.append(
            Text(
                "两次运行的{names}是各自随机产生的，仅此就会使第一个 loss 不同：先固定随机性"
                "（两边加载同一份权重、关闭混洗或固定种子），再比较。",
                "The {names} of the two runs were drawn at random, which alone makes the first losses differ: fix what is "
                "random first (load the same weights into both, switch shuffling off or set the same seeds), then compare again.",
                names=names,
            )
        )
    elif against.case == "first" and against.equal("initial", "order"):
        lines.append(
            Text(
                "初始权重与第一批样本都相同，因此原因在前向计算（网络或 loss）。",
                "The initial weights and the first samples are equal, so the cause lies in the forward pass (network or loss).",
            )
        )
    elif against.case == "first" and against.equal("initial"):
        lines.append(Text("初始权重相同，不是原因。", "The initial weights are equal: they are not the cause."))
    if against.acting:
        parts = [
            Text("{says}（{item}）", "{says} ({item})", says=one.says, item=against.item_of(one))
            for one in against.acting
        ]
        what = Joined(parts[:4], zh="；", en="; ")
        lines.append(Text("在那里起作用且不同的：{what}。", "What acts there and differs: {what}.", what=what))
    elif against.case == "second" and against.equal("rate", "optimizer"):
        lines.append(
            Text(
                "学习率与优化器的设置相同：查反向计算与数据。",
                "Learning rate and optimizer are set alike: look at the backward pass and the data.",
            )
        )
    return lines


def _table(against: ReferenceComparison) -> Optional[Evidence]:
    rows = [[*row, _items(one)] for one in against.facts.values() if one.rows for row in one.rows]
    if not rows:
        return None
    heads = [
        Text("项", "what"),
        Text("标杆运行", "reference run"),
        Text("本次运行", "this run"),
        Text("检查项", "item"),
    ]
    rows = [[row[0], _cell(row[1]), _cell(row[2]), row[3]] for row in rows]
    made = table(Text("两次运行中不同的事实", "Facts that differ between the runs"), heads, rows)
    made.source = "reference"
    return made


def _items(one: Compared) -> str:
    return ITEM_OF.get(one.kind) or ("api.01, wi.02" if one.kind == "initial" else "")


def _cell(value):
    return str(value)[:400] if isinstance(value, (list, dict)) else value


def _figure(against: ReferenceComparison) -> Optional[Evidence]:
    found = against.parting
    if found is None or len(found.steps) < 2:
        return None
    at = _drawn(found)
    data = {
        "names": [against.name, "run"],
        "steps": [int(step) for step in found.steps[at]],
        "reference": [float(value) for value in found.a[at]],
        "run": [float(value) for value in found.b[at]],
        "relative": [float(value) for value in found.relative[at]],
        "band": [float(value) for value in found.band[at]],
        "differs": None if found.differs is None else int(found.steps[found.differs]),
        "parts": None if found.parts is None else int(found.steps[found.parts]),
    }
    title = Text("本次运行与标杆运行的 loss", "Losses of this run and of the reference run")
    return Evidence("figure", title, "reference", figure="losses_beside", data=data)


def _drawn(found: Parting) -> np.ndarray:
    """The positions that are drawn: of a long course the beginning, those about the marks, and an even choice of the rest."""
    count = len(found.steps)
    if count <= _POINTS:
        return np.arange(count)
    marks = [at for at in (found.differs, found.parts, found.jumps) if at is not None]
    near = [np.arange(max(0, at - 50), min(count, at + 51)) for at in marks]
    even = np.linspace(0, count - 1, _POINTS - 100 - 101 * len(near)).astype(int)
    return np.unique(np.concatenate([np.arange(100), even, *near]))
