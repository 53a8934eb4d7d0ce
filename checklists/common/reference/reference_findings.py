"""The reference run in the findings: a sentence in the items that it points at, and a section of its own."""

from functools import partial
from typing import Callable, Optional

import numpy as np

from msprec.bilingual import Joined, Text, plain
from msprec.checklists.common.reference.fact_differences import ComparedFact
from msprec.checklists.common.reference.loss_divergence import ITEM_OF, ReferenceComparison
from msprec.compare.losses import losses_text
from msprec.compare.losses.compare import ROUNDING, Parting
from msprec.engine.finding import Evidence, Finding, table, text
from msprec.engine.run_data import RunData

_TITLE = Text("与标杆运行对比", "Against the reference run")
#: Points of the figure's curves.
_POINTS = 1500
#: What makes a problem of a difference, or gives None: from the run, the comparison and the finding without it.
Judge = Callable[[RunData, ReferenceComparison, Finding], Optional[Finding]]


def with_reference(id: str, run_data: RunData, finding: Finding, judge: Optional[Judge] = None) -> Finding:
    """What ``item(after=…)`` of an item is: the finding with what the reference run says of it.

    A difference alone is shown and changes no conclusion. ``judge`` may make a problem of it: where the item asks for that, or
    where it is what parts the runs and the run is far behind the reference.
    """
    if not run_data.reference_run or run_data.trains_nothing:
        return finding
    against = run_data.once(ReferenceComparison)
    raised = judge(run_data, against, finding) if judge is not None and finding.conclusion != "problem" else None
    found = raised or finding
    says = sentences(id, against)
    if says:
        evidence = text(_TITLE, Joined(says, zh="", en=" "), "reference")
        found.evidence.insert(0, evidence)
    return found


def judged_with_reference(judge: Judge) -> Callable:
    """`with_reference` for an item whose conclusion a reference run can change."""
    return partial(with_reference, judge=judge)


def sentences(id: str, against: ReferenceComparison) -> list:
    """What the item says of the reference run: the facts that differ, and what the losses point at."""
    says = [_whole(one.says) for kind, item in ITEM_OF.items() if item == id for one in against.differing(kind)]
    if id == "wi.02" and against.loaded_there and not against.loaded_here:
        file = loaded_file(against.reference.loads)
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


def _whole(says: Optional[Text]) -> Text:
    return Text("与标杆运行相比，{says}。", "Compared with the reference run, {says}.", says=says)


class Capital(Text):
    """A sentence at the beginning of a line."""

    __slots__ = ("says",)

    def __init__(self, says: Text):
        super().__init__("", "")
        self.says = says

    def render(self, lang: str) -> str:
        words = self.says.render(lang)
        return words[:1].upper() + words[1:]


def ends_apart(against: ReferenceComparison) -> Text:
    """How far apart the losses of the two end, in words; only where `ReferenceComparison.far_worse`."""
    ends = against.ends
    assert ends is not None and against.parting is not None
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


def loaded_file(loads: list) -> str:
    """The name of the file that weights were loaded from; "?" where none was recorded."""
    names = [load.file for load in loads if load.file and not load.optimizer]
    return names[0].replace("\\", "/").rsplit("/", 1)[-1] if names else "?"


# --- the section ---------------------------------------------------------------------------------------------------


def section(run_data: RunData, lang: str) -> Optional[dict]:
    """``reference_run`` of checklist.json: the conclusion in sentences, the figure, the facts that differ. None without one."""
    if not run_data.reference_run:
        return None
    against = run_data.once(ReferenceComparison)
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
                "The loss curves agree from beginning to end: where the accuracy falls short, the benchmark most likely has the "
                "same problem.",
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
        acting = Joined(parts[:4], zh="；", en="; ")
        lines.append(Text("在那里起作用且不同的：{what}。", "What acts there and differs: {what}.", what=acting))
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


def _items(one: ComparedFact) -> str:
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
