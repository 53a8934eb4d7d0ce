"""What comparing two files of weights says, in words."""

from msprec.compare.weights.compare import ComparedWeights, common_factor, unrelated

WORDS = {
    "zh": {
        "identical": "相同",
        "rounding": "仅舍入差异",
        "differs": "不同",
        "transposed": "转置后相同",
        "shape": "形状不同",
        "unreadable": "无法读取",
        "all_same": "全部 {count} 个参数相同。",
        "all_close": "全部 {count} 个参数一致（{identical} 个逐位相同，其余仅舍入差异）。",
        "counts": "{count} 个参数配对：{list}。",
        "only_a": "只在 A 中（{count}）：{names}。",
        "only_b": "只在 B 中（{count}）：{names}。",
        "training": "不属于网络、未比较（{count}）：{names}。",
        "unrelated": "{count} 个参数的值毫不相关（余弦接近 0）：是另一次随机初始化，B 没有从 A 的权重开始。先让两边加载同一份权重再比较 loss。",
        "spread": "其中分布的标准差也不同：{names}。初始化方法不同。",
        "factor": "所有改变方向相同，但 B 的是 A 的 {factor:.4g} 倍：查学习率、loss scale 或梯度的平均方式。",
        "transposed_note": "转置后才相同：{names}。加载时可能需要转置。",
        "structure": "{count} 对是按形状和次序配对的，请核对：{names}。",
        "statistics": "只有滑动统计量不同：{names}。查 BatchNorm 的 momentum，或评估/训练模式。",
        "dtypes": "数据类型不同：{names}。",
        "more": "…… 共 {count} 个",
        "name": "参数",
        "verdict": "结论",
        "shape_": "形状",
        "cosine": "余弦",
        "max_abs": "最大绝对差",
        "max_rel": "最大相对差",
        "spreads": "标准差 A / B",
        "since": "比较的是各自相对先前文件的改变。",
        "gone": "无法读取：{names}",
    },
    "en": {
        "identical": "identical",
        "rounding": "rounding",
        "differs": "differs",
        "transposed": "transposed",
        "shape": "other shape",
        "unreadable": "unreadable",
        "all_same": "All {count} parameters are the same.",
        "all_close": "All {count} parameters agree ({identical} to the last bit, the others but for rounding).",
        "counts": "{count} parameters matched: {list}.",
        "only_a": "Only in A ({count}): {names}.",
        "only_b": "Only in B ({count}): {names}.",
        "training": "No part of the network, not compared ({count}): {names}.",
        "unrelated": "{count} parameters have nothing in common (cosine near 0): another random initialisation; B did not start from A's "
        "weights. Load the same weights on both sides before comparing losses.",
        "spread": "Of these the standard deviations differ too: {names}. They are initialised in another way.",
        "factor": "All changes have the same direction, those of B {factor:.4g} times the length: look at the learning rate, the loss scale, "
        "or how gradients are averaged.",
        "transposed_note": "Equal once transposed: {names}. Loading may have to transpose them.",
        "structure": "{count} pairs were matched by shape and order, please check: {names}.",
        "statistics": "Only moving statistics differ: {names}. Look at BatchNorm's momentum, and at the training mode.",
        "dtypes": "The dtypes differ: {names}.",
        "more": "… {count} in all",
        "name": "parameter",
        "verdict": "verdict",
        "shape_": "shape",
        "cosine": "cosine",
        "max_abs": "max abs",
        "max_rel": "max rel",
        "spreads": "std A / B",
        "since": "What is compared is the change of each since the earlier file.",
        "gone": "Unreadable: {names}",
    },
}
_FEW = 6
_ORDER = ("unreadable", "shape", "differs", "transposed", "rounding", "identical")
_STATISTICS = ("running_mean", "running_var", "moving_mean", "moving_variance")


def conclusion(found: ComparedWeights, lang: str) -> list:
    """The sentences, what matters first."""
    say, rows = WORDS[lang], found.rows
    by = {verdict: [row for row in rows if row.verdict == verdict] for verdict in _ORDER}
    lines = [say["since"]] if found.since else []
    same = len(by["identical"]) + len(by["rounding"]) == len(rows)
    if same:
        key = "all_same" if len(by["identical"]) == len(rows) else "all_close"
        lines.append(say[key].format(count=len(rows), identical=len(by["identical"])))
    else:
        counts = ", ".join(f"{say[verdict]} {len(by[verdict])}" for verdict in _ORDER if by[verdict])
        lines.append(say["counts"].format(count=len(rows), list=counts))
    lines += _causes(found, by, say)
    for key, names in (("only_a", found.matched.only_a), ("only_b", found.matched.only_b)):
        if names:
            lines.append(say[key].format(count=len(names), names=_few(names, say)))
    structure = [f"{row.match.a} – {row.match.b}" for row in rows if row.match.how == "structure"]
    if structure:
        lines.append(say["structure"].format(count=len(structure), names=_few(structure, say)))
    if found.matched.training:
        names = found.matched.training
        lines.append(say["training"].format(count=len(names), names=_few(names, say)))
    return lines


def _causes(found: ComparedWeights, by: dict, say: dict) -> list:
    lines, rows = [], found.rows
    strangers = [] if found.since else unrelated(rows)
    if strangers:
        lines.append(say["unrelated"].format(count=len(strangers)))
    spread = [row for row in strangers if row.spread_differs]
    if spread:
        lines.append(say["spread"].format(names=_few([_spreads(row) for row in spread], say)))
    factor = common_factor(rows) if found.since else None
    if factor is not None:
        lines.append(say["factor"].format(factor=factor))
    moving = [row.match.a for row in by["differs"] if row.match.a.rpartition(".")[2] in _STATISTICS]
    if moving and len(moving) == len(by["differs"]):
        lines.append(say["statistics"].format(names=_few(moving, say)))
    if by["transposed"]:
        lines.append(say["transposed_note"].format(names=_few([row.match.a for row in by["transposed"]], say)))
    dtypes = [f"{row.match.a} {row.dtypes[0]} – {row.dtypes[1]}" for row in rows if row.dtypes[0] != row.dtypes[1]]
    if dtypes:
        lines.append(say["dtypes"].format(names=_few(dtypes, say)))
    if by["unreadable"]:
        lines.append(say["gone"].format(names=_few([f"{row.match.a} ({row.error})" for row in by["unreadable"]], say)))
    return lines


def _spreads(row) -> str:
    return f"{row.match.a} {row.spreads[0]:.3g} – {row.spreads[1]:.3g}"


def _few(names: list, say: dict) -> str:
    text = ", ".join(names[:_FEW])
    return text + (" " + say["more"].format(count=len(names)) if len(names) > _FEW else "")


def worst_first(rows: list) -> list:
    """Rows in the order of what is wrong with them; those that agree come last."""

    def key(row):
        return _ORDER.index(row.verdict), row.pair.cosine if row.pair is not None else 0.0

    return sorted(rows, key=key)
