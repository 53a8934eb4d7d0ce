"""Which activations and layers have lost their units (td.03)."""

from typing import NamedTuple, Optional

from msprec.bilingual import Text, percent
from msprec.checklists.td.outcome.assessment import assess
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_SATURATED = {
    "start": Text("从训练开始起", "from the start on"),
    "middle": Text("从训练中间起", "from the middle of the training on"),
    "end": Text("到训练结束时", "by the end of the training"),
}


class Lost(NamedTuple):
    """An activation or layer that has lost its units; ``why``: dead, saturated, softmax, alone, between, flattened, alike or
    collapsed; ``since``: a moment; ``before``: of a collapse, the spread at the start."""

    why: str
    entry: Fact
    since: str
    share: float
    before: float = 0.0

    @property
    def place(self) -> Optional[Fact]:
        return self.entry.created or self.entry.place

    @property
    def name(self) -> str:
        cell, operator = self.entry.cell, self.entry.operator
        return f"{cell} ({operator})" if cell and cell != operator else operator or cell

    def sentence(self) -> Text:
        """What happened to it, without a full stop."""
        values = {"name": self.name, "since": _SATURATED[self.since], "share": percent(self.share)}
        if self.why == "dead":
            return Text(
                "{name} 的 {n} 个神经元中有 {dead} 个{since}对所有保留的样本都输出 0（失活）",
                "{dead} of {n} units of {name} give zero for all captured samples {since} (dead)",
                n=self.entry.units,
                dead=self.entry.dead,
                **values,
            )
        if self.why == "saturated":
            return Text(
                "{name} {since}饱和：{share}的{what}",
                "{name} is saturated {since}: {share} of {what}",
                what=Text("神经元对所有样本停在同一端", "its units stand at one end for all samples")
                if (self.entry.stuck or 0) >= self.share * (self.entry.units or 1)
                else Text("输出落在两端", "its values lie at the ends"),
                **values,
            )
        if self.why == "softmax":
            return Text(
                "{name} {since}饱和：{share}的行只有一个概率接近 1",
                "{name} is saturated {since}: in {share} of its rows one probability is close to 1",
                **values,
            )
        if self.why == "alone":
            return Text(
                "{name} 沿大小为 1 的轴计算：无论输入是什么，结果都是 1，它之前的层也得不到梯度",
                "{name} goes along an axis of size 1: it gives 1 whatever it is given, and what lies before it gets no gradient",
                **values,
            )
        if self.why == "between":
            return Text(
                "{name} 是两个层之间的激活：它的 {n} 个神经元之和总是 1，后面的层几乎得不到信息",
                "{name} is the activation between two layers: its {n} units share a sum of 1, and the layer behind is told next "
                "to nothing by them",
                n=self.entry.units,
                **values,
            )
        if self.why == "flattened":
            return Text(
                "{name} 等层间的 sigmoid 使信号逐层消失：第一步之前，最后一层的输出随样本的变化只有第一层的 {left}，"
                "而训练没有学到东西",
                "sigmoids between layers, such as {name}, let the signal die out: before the first step what the last layer "
                "gives changes with the samples by {left} of what the first gives, and nothing was learnt",
                left=f"{100 * self.share:.2g} %",
                **values,
            )
        if self.why == "collapsed":
            return Text(
                "{name} 对各样本的输出方向几乎相同：偏离平均方向 {share}（训练开始时为 {before}），"
                "而这种比较网络自身输出的 loss 正因此达到最低：表征坍缩",
                "{name} gives nearly the same for all samples: they differ by {share} of its size ({before} at the "
                "start), which is "
                "what brings a loss between the network's own outputs down: the representation has collapsed",
                before=percent(self.before),
                **values,
            )
        return Text(
            "{name} {since}对所有样本给出同样的结果，尽管网络的输入各不相同：网络的输出与输入无关",
            "{name} gives the same for all samples {since} although the network's inputs differ: its output does not depend on "
            "them",
            **values,
        )


class Moments:
    """The probe's entries by moment, those of the earlier moments beside those of the end."""

    def __init__(self, run_data: RunData) -> None:
        self._run_data = run_data
        moments = {moment.moment: moment for moment in run_data.probes.units.moments}
        #: The moment "end", or None where the probe was not made
        self.end = moments.get("end")
        self._names = [name for name in ("start", "middle") if name in moments]
        self._earlier = [_by_key(moments[name].entries) for name in self._names]
        self._end = _by_key(self.end.entries) if self.end is not None else {}

    @property
    def samples(self) -> int:
        """Samples that were run with the weights of the end."""
        return (self.end.samples or 0) if self.end is not None else 0

    @property
    def from_start(self) -> bool:
        """Whether the first of the earlier moments is the start."""
        return self._names[:1] == ["start"]

    @property
    def entries(self) -> list:
        """The entries at the end."""
        return list(self._end.values())

    @property
    def layers(self) -> list:
        """Those of layers with weights."""
        return [entry for entry in self._end.values() if entry.kind == "layer"]

    def courses(self) -> list:
        """``(entry at the end, [entry at each earlier moment, or None])``."""
        return [(entry, [moment.get(key) for moment in self._earlier]) for key, entry in self._end.items()]

    def start_ranges(self) -> list:
        """``(layer, change of what it gave at the start with the samples)`` where that is known, of a training without loaded
        weights that learnt nothing or hardly anything, or of which that cannot be told and whose last layer still gives next to
        the same for all samples at the end (td.03.flattened); else none."""
        state = self._run_data.once(assess).state
        failed = state in ("nothing", "hardly") or (state == "unknown" and self._still_the_same())
        if self._run_data.loads or not self.from_start or not failed:
            return []
        starts = [(entry, earlier[0]) for entry, earlier in self.courses() if entry.kind == "layer"]
        return [(entry, start.range) for entry, start in starts if start and start.range is not None]

    def _still_the_same(self) -> bool:
        layers = [one for one in self.layers if one.range is not None]
        return len(layers) > 1 and layers[-1].range < self._run_data.limit("td.03.flattened") * layers[0].range

    def lost(self) -> list:
        """What has lost its units, the first in the order of calls first."""
        loaded = bool(self._run_data.loads)
        found = [one for entry, earlier in self.courses() if (one := self._judged(entry, earlier, loaded)) is not None]
        culprit = self.collapsed
        if culprit is not None and not any(one.why in ("dead", "saturated") for one in found):
            found.insert(0, Lost("alike", culprit, self._since(culprit, lambda one: one.alike == one.units), 1.0))
        return found or self._representation()

    def _representation(self) -> list:
        """The last layers, where a loss compares the network's own outputs, and they have come together and the first has not."""
        if self._run_data.probes.written_loss.why != "outputs" or not self.from_start:
            return []
        layers = [(entry, earlier[0]) for entry, earlier in self.courses() if entry.kind == "layer"]
        heads = [(entry, start) for entry, start in layers if not entry.hidden]
        spreads = [(entry.spread, start and start.spread) for entry, start in heads]
        first = layers[0][0].spread if layers else None
        if not heads or first is None or any(None in one for one in spreads):
            return []
        close, fell = self._run_data.limit("td.03.collapsed"), self._run_data.limit("td.03.fell")
        now, then = max(end for end, _ in spreads), min(start for _, start in spreads)
        if now > close or now > fell * then or now > fell * first:
            return []
        return [Lost("collapsed", heads[0][0], "end", now, then)]

    @property
    def collapsed(self) -> Optional[Fact]:
        """Where all last layers give the same for all samples and the first layers do not, or are given what differs: the first
        entry that does so."""
        heads = [one for one in self.layers if not one.hidden]
        if not heads or not all(one.units and one.alike == one.units for one in heads):
            return None
        every = self.entries
        alike = [one for one in every if one.units and one.alike == one.units]
        lost = next((one for one in alike if one.input_alike is False), None)
        # a normalisation or the user's own arithmetic before it may be the cause
        return lost or (alike[0] if alike[0] is not every[0] else None)

    def _judged(self, entry: Fact, earlier: list, loaded: bool) -> Optional[Lost]:
        limit = self._run_data.limit
        units = entry.units or 0
        if not units or entry.input_alike:
            return None
        if entry.kind == "relu" and (entry.hidden or entry.direct) and entry.dead is not None:
            share = limit("td.03.dead")
            if entry.dead >= share * units and not self._solved:
                since = self._since(entry, lambda one: one.dead is not None and one.dead >= share * one.units)
                return Lost("dead", entry, since, entry.dead / units)
        if not entry.hidden or entry.saturated is None or (entry.gate and entry.kind != "softmax"):
            return None
        start = earlier[0] if self.from_start else None
        both = min(entry.saturated, (start and start.saturated) or 0.0)
        if entry.kind == "softmax":
            sure = units > 1 and not entry.sharpened and not loaded and both >= limit("td.03.sure_rows")
            return Lost("softmax", entry, "start", both) if sure else None
        share = limit("td.03.saturated")
        if (entry.stuck or 0) >= share * units:
            since = self._since(entry, lambda one: (one.stuck or 0) >= share * one.units)
            return Lost("saturated", entry, since, entry.stuck / units)
        return Lost("saturated", entry, "start", both) if both >= share and not loaded else None

    @property
    def _solved(self) -> bool:
        """Whether the training did well without the units that it lost."""
        outcome = self._run_data.once(assess)
        return outcome.told == "learnt" and (outcome.outcome.gain or 0.0) >= self._run_data.limit("td.03.solved")

    def _since(self, entry: Fact, holds) -> str:
        """The first of the moments from which on it ``holds``."""
        earlier = next(before for one, before in self.courses() if one is entry)
        since = "end"
        for name, one in reversed(list(zip(self._names, earlier))):
            if not one or not one.units or not holds(one):
                break
            since = name
        return since


def kinds(entry: Fact) -> Text:
    """What an entry is in the network."""
    if entry.kind == "layer":
        return Text("层", "layer") if entry.hidden else Text("最后一层", "last layer")
    if entry.gate and entry.kind != "softmax":
        return Text("门控", "gate")
    return Text("层间激活", "between layers") if entry.hidden else Text("输出或 loss", "output or loss")


def _by_key(entries: list) -> dict:
    """By operator, cell and place, and which of those it is."""
    found: dict[tuple, Fact] = {}
    for entry in entries:
        at = (entry.operator, entry.cell, entry.place.file, entry.place.line)
        key = (*at, sum(one[:-1] == at for one in found))
        found[key] = entry
    return found
