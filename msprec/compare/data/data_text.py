"""What comparing the deliveries of two pipelines says, in words."""

from msprec.compare.data.compare import ComparedData, Difference

_WORDS = {
    "zh": {
        "same": "列 {name}：全部 {count} 个样本相同，次序也相同。",
        "order": "列 {name}：样本相同，但次序不同（同一位置相同的 {equal}/{count}）：查 shuffle、随机种子和采样器。",
        "part": "列 {name}：同一位置相同的 {equal}/{compared}；两边共有 {common} 个（A {a} 个，B {b} 个）。",
        "none": "列 {name}：没有相同的样本（A {a} 个，B {b} 个）。",
        "prefix": "列 {name}：前 {compared} 个样本相同；A 共 {a} 个，B 共 {b} 个。",
        "linear": "列 {name}：B = {factor:.6g} × A {offset:+.6g}：缩放或归一化不同。",
        "layout": "列 {name}：布局不同：B 是 A 的轴 {axes} 转置（NCHW 与 NHWC）。",
        "channels": "列 {name}：通道次序相反（RGB 与 BGR）。",
        "dtype": "列 {name}：数据类型 {a} 与 {b}。",
        "shape": "列 {name}：样本形状 {a} 与 {b}。",
        "bad": "列 {name}：非有限值 {a} 与 {b} 个。",
        "stats": "列 {name}：均值 {ma:.6g} 与 {mb:.6g}，标准差 {sa:.6g} 与 {sb:.6g}，范围 [{la:.6g}, {ha:.6g}] 与 [{lb:.6g}, {hb:.6g}]。",
        "only_a": "只在 A 中的列：{names}。",
        "only_b": "只在 B 中的列：{names}。",
        "rows": "各列都有共同的样本，但合在一起只有 {rows} 个样本的所有列都相同：数据与标签的对应关系不同。",
        "position": "列 {a} 与 {b} 名称不同，按位置配对。",
        "varying": "不定",
    },
    "en": {
        "same": "Column {name}: all {count} samples are the same, in the same order.",
        "order": "Column {name}: the same samples in another order ({equal} of {count} at the same place): look at shuffling, seeds and the sampler.",
        "part": "Column {name}: {equal} of {compared} are the same at the same place; {common} are in both, wherever (A has {a}, B {b}).",
        "none": "Column {name}: no sample is in both (A has {a}, B {b}).",
        "prefix": "Column {name}: the first {compared} samples are the same; A has {a} in all, B {b}.",
        "linear": "Column {name}: B = {factor:.6g} × A {offset:+.6g}: scaled or normalised otherwise.",
        "layout": "Column {name}: another layout: B is A with its axes in the order {axes} (NCHW and NHWC).",
        "channels": "Column {name}: the channels come in the reverse order (RGB and BGR).",
        "dtype": "Column {name}: dtype {a} and {b}.",
        "shape": "Column {name}: shape of a sample {a} and {b}.",
        "bad": "Column {name}: values that are not finite: {a} and {b}.",
        "stats": "Column {name}: mean {ma:.6g} and {mb:.6g}, std {sa:.6g} and {sb:.6g}, range [{la:.6g}, {ha:.6g}] and [{lb:.6g}, {hb:.6g}].",
        "only_a": "Columns only in A: {names}.",
        "only_b": "Columns only in B: {names}.",
        "rows": "The columns have samples in common, but only {rows} samples are the same in all columns together: data and labels belong together "
        "otherwise.",
        "position": "Columns {a} and {b}, of different names, were paired by their position.",
        "varying": "varying",
    },
}


def lines(found: ComparedData, lang: str) -> list:
    """A sentence a finding, column by column."""
    say, told = _WORDS[lang], []
    for key in ("only_a", "only_b"):
        if getattr(found, key):
            told.append(say[key].format(names=", ".join(getattr(found, key))))
    for difference in found.columns:
        told += _column(difference, say)
    shared = [d.compared if d.common is None else d.common for d in found.columns]
    if len(shared) > 1 and found.rows < min(shared):
        told.append(say["rows"].format(rows=found.rows))
    return told


def same(found: ComparedData) -> bool:
    """Whether both deliver the same in the same order."""
    return (
        not found.only_a
        and not found.only_b
        and all(d.common is None and d.a.dtype == d.b.dtype for d in found.columns)
    )


def _column(d: Difference, say: dict) -> list:
    name, a, b = d.a.name, len(d.a.digests), len(d.b.digests)
    told = [] if name == d.b.name else [say["position"].format(a=name, b=d.b.name)]
    if d.a.dtype != d.b.dtype:
        told.append(say["dtype"].format(name=name, a=d.a.dtype, b=d.b.dtype))
    if d.a.shape != d.b.shape:
        shapes = [list(shape) if shape is not None else say["varying"] for shape in (d.a.shape, d.b.shape)]
        told.append(say["shape"].format(name=name, a=shapes[0], b=shapes[1]))
    if d.a.bad or d.b.bad:
        told.append(say["bad"].format(name=name, a=d.a.bad, b=d.b.bad))
    told.append(_samples(d, name, a, b, say))
    relation = d.relation
    while relation is not None:
        inner = relation[2] if relation[0] == "layout" else None
        told.append(_relation(relation, name, say))
        relation = inner
    if d.common is not None and d.common < min(a, b) and d.a.stats[2] == d.a.stats[2] and d.b.stats[2] == d.b.stats[2]:
        (la, ha, ma, sa), (lb, hb, mb, sb) = d.a.stats, d.b.stats
        told.append(say["stats"].format(name=name, ma=ma, mb=mb, sa=sa, sb=sb, la=la, ha=ha, lb=lb, hb=hb))
    return told


def _samples(d: Difference, name: str, a: int, b: int, say: dict) -> str:
    if d.common is None:
        return say["same"].format(name=name, count=a)
    if d.in_order == d.compared:
        return say["prefix"].format(name=name, compared=d.compared, a=a, b=b)
    if d.common == a == b:
        return say["order"].format(name=name, equal=d.in_order, count=a)
    key = "part" if d.common else "none"
    return say[key].format(name=name, equal=d.in_order, compared=d.compared, common=d.common, a=a, b=b)


def _relation(relation: tuple, name: str, say: dict) -> str:
    if relation[0] == "linear":
        return say["linear"].format(name=name, factor=relation[1], offset=relation[2])
    if relation[0] == "layout":
        return say["layout"].format(name=name, axes=list(relation[1]))
    return say["channels"].format(name=name)
