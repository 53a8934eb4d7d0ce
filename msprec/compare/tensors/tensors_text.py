"""What comparing two dumps says, in words."""

from msprec.compare.tensors.compare import GOOD, ComparedDumps
from msprec.compare.tensors.first_divergence import FirstDivergence

WORDS = {
    "zh": {
        "yes": "通过",
        "no": "不通过",
        "shape": "形状不同",
        "unreadable": "无法读取",
        "noise": "仅舍入",
        "counts": "{pairs} 对张量：通过 {yes}，不通过 {no}（规则 {rule}）。",
        "only_a": "只在 A 中：{count} 个，如 {names}。",
        "only_b": "只在 B 中：{count} 个，如 {names}。",
        "structure": "{count} 对按结构（次序与形状）配对，请核对。",
        "bad": "无法读取 {count} 个：{names}",
        "clean": "没有发现输入一致而输出不同的算子（检查了 {judged} 次调用）。",
        "not_judged": "没有可判断的算子：A 与 B 中没有同时含输入和输出的配对。",
        "agree": "全部配对的张量一致（其中没有同时含输入和输出的算子）。",
        "output": "第一个输入一致而输出不同的是 {op}{kind}（step {step}，前向）：{row}。输入和参数都一致，请查它的计算方式和配置参数。",
        "shape_out": "第一个输入一致而输出不同的是 {op}{kind}（step {step}，{phase}）：输出形状 {shape_a} 与 {shape_b}。请查 padding、stride、kernel 等配置。",
        "missing": "第一个输入一致而输出不同的是 {op}{kind}（step {step}，{phase}）：{row}。{missing}。",
        "parameter": "第一个输入一致而输出不同的是 {op}{kind}（step {step}，{phase}），但它的参数 {slot} 已不同（{row}）：先用 msprec compare weights 对齐权重。",
        "parameter_later": "第一个输入一致而输出不同的是 {op}{kind}（step {step}，{phase}）：它的参数 {slot} 在这一步之前已不同（{row}）。"
        "若此前各步一致，查上一步的梯度、优化器与学习率。",
        "state": "第一个不同的是 {op}{kind}（step {step}）调用后的统计量 {slot}：{row}。输入和输出都一致，请查它的 momentum（两个框架中含义互补：0.9 对 0.1）。",
        "dropout": "{op}{kind}（step {step}）丢弃的比例或缩放不同：输出中零的比例 {zeros_a:.1%} 与 {zeros_b:.1%}。请查 p 与 keep_prob 的含义。",
        "backward": "前向一致；反向中第一个传入梯度一致而传出梯度不同的是 {op}{kind}（step {step}）：{io} {slot}，{row}。",
        "data": "第一个输入就不同（{name}，{row}）：两边喂给网络的不是同一批数据。请先用 msprec compare data 对齐数据。",
        "first": "按次序第一个不一致的是 {name}（step {step}）：{row}。A 与 B 中没有它的输入，不能判断是它还是之前的计算造成的。",
        "small": "这个差异也可能来自设备的低精度计算（TF32、HF32、fp16 矩阵乘）；用 --agree 5e-3 可越过它继续查找。",
        "setting": "第一个不同的是 {op}{kind}（step {step}，{phase}）的设置：标量输入 {slot} 为 {value_a:.6g} 与 {value_b:.6g}，其余输入一致。",
        "grows": "没有哪个算子单独造成差异：从 {op}{kind}（step {step}，{phase}）起超出容差（{row}），而它的输入已有误差。可放宽 --agree 或检查数据类型。",
        "random": "随机算子（dropout）：{names}。它之后的张量不能逐元素判断；请把两边的 dropout 关闭（p=0）后再 dump。",
        "lack_a": "参数 {slot} 只在 A 中有",
        "lack_b": "参数 {slot} 只在 B 中有",
        "relative": "相对误差 {relative:.2e}，余弦 {cosine:.6f}",
        "nan": "A 中{a}，B 中{b}",
        "rule_passes": "（按 {rule} 规则这一对算通过，因为差异较小。）",
        "forward": "前向",
        "backward_": "反向",
        "name": "张量",
        "verdict": "结论",
        "cosine": "余弦",
        "max_abs": "最大绝对误差",
        "rel": "相对误差",
        "within": "容差内",
        "shapes": "形状",
        "range_a": "A 最小/最大",
        "range_b": "B 最小/最大",
        "gradient": "参数梯度",
        "output_": "传出梯度",
        "statistics": "统计量相差 {relative:.1e}",
        "step": "step",
        "other_shape": "形状不同：{name} 在 A 中为 {shape_a}，在 B 中为 {shape_b}{remedy}",
        "squeezed": "形状只差长度为 1 的维：{name} 在 A 中为 {shape_a}，在 B 中为 {shape_b}{remedy}",
        "remedy": "；B.{call} 之后两边一致",
        "transposed": "{name} 的两边形状相同而布局不同：B.{call} 之后两边一致",
        "other_dtype": "数据类型不同：{name} 在 A 中为 {dtype_a}，在 B 中为 {dtype_b}",
        "more": "（共 {count} 个）",
        "swapped": "{one} 与 {two} 对调：A 的 {one} 等于 B 的 {two_b}，A 的 {two} 等于 B 的 {one_b}。请查层的顺序或名称的对应关系。",
        "both_bad": "两边在相同位置都有非有限值：{name}（{a}）",
        "one_bad": "{name}：A 中{a}，B 中{b}",
        "none_bad": "没有非有限值",
        "count_nan": "{count} 个 NaN",
        "count_inf": "{count} 个无穷大",
        "shape_first": "按次序第一个不一致的是 {name}（step {step}）：形状 {shape_a} 与 {shape_b}{remedy}。",
    },
    "en": {
        "yes": "passes",
        "no": "fails",
        "shape": "other shape",
        "unreadable": "unreadable",
        "noise": "rounding",
        "counts": "{pairs} pairs of tensors: {yes} pass, {no} fail (rule {rule}).",
        "only_a": "Only in A: {count}, such as {names}.",
        "only_b": "Only in B: {count}, such as {names}.",
        "structure": "{count} pairs were made by structure (order and shapes); please check.",
        "bad": "Unreadable: {count}: {names}",
        "clean": "No operation was found whose inputs agree and whose output does not ({judged} calls judged).",
        "not_judged": "No operation could be judged: no pair has both inputs and outputs in A and B.",
        "agree": "All tensors that were paired agree (no operation among them has both its inputs and its outputs there).",
        "output": "The first whose inputs agree and whose output does not is {op}{kind} (step {step}, forward): {row}. Its inputs and its "
        "parameters agree: look at how it computes and at its settings.",
        "shape_out": "The first whose inputs agree and whose output does not is {op}{kind} (step {step}, {phase}): the output's shape is {shape_a} "
        "and {shape_b}. Look at padding, stride and kernel size.",
        "missing": "The first whose inputs agree and whose output does not is {op}{kind} (step {step}, {phase}): {row}. {missing}.",
        "parameter": "The first whose inputs agree and whose output does not is {op}{kind} (step {step}, {phase}), but its parameter {slot} differs "
        "already ({row}): make the weights the same first (msprec compare weights).",
        "parameter_later": "The first whose inputs agree and whose output does not is {op}{kind} (step {step}, {phase}): its parameter {slot} differed "
        "before that step ({row}). Where the steps before agree, look at their gradients, the optimizer and the learning rate.",
        "state": "The first that differs is the statistic {slot} of {op}{kind} after its call (step {step}): {row}. Its inputs and outputs agree: look "
        "at its momentum (complements of each other in the two frameworks: 0.9 and 0.1).",
        "dropout": "{op}{kind} (step {step}) drops another share, or scales otherwise: {zeros_a:.1%} and {zeros_b:.1%} of its output are zero. Look at "
        "what p and keep_prob mean.",
        "backward": "Forward agrees; in the backward pass the first whose incoming gradients agree and whose outgoing do not is {op}{kind} "
        "(step {step}): {io} {slot}, {row}.",
        "data": "The very first inputs differ ({name}, {row}): the two networks are not fed the same batch. Compare the data first (msprec compare data).",
        "first": "The first that differs, in order, is {name} (step {step}): {row}. Its inputs are not in the dumps, so whether it or what "
        "came before is the cause is not known.",
        "small": "Reduced precision of a device (TF32, HF32, matrix products in fp16) can make a difference as small, too; --agree 5e-3 looks beyond it.",
        "setting": "The first that differs is a setting of {op}{kind} (step {step}, {phase}): its scalar input {slot} is {value_a:.6g} and "
        "{value_b:.6g}; its other inputs agree.",
        "grows": "No operation alone makes the difference: from {op}{kind} on (step {step}, {phase}) it is beyond the tolerance ({row}), but its inputs had "
        "errors already. Widen --agree, or look at the dtypes.",
        "random": "Random operations (dropout): {names}. What comes after them cannot be judged element by element; switch dropout off (p=0) on both "
        "sides and dump again.",
        "lack_a": "Only A has its parameter {slot}",
        "lack_b": "Only B has its parameter {slot}",
        "relative": "relative error {relative:.2e}, cosine {cosine:.6f}",
        "nan": "A has {a}, B has {b}",
        "rule_passes": "(By the rule {rule} this pair passes, as the difference is small.)",
        "forward": "forward",
        "backward_": "backward",
        "name": "tensor",
        "verdict": "verdict",
        "cosine": "cosine",
        "max_abs": "max abs",
        "rel": "relative",
        "within": "within",
        "shapes": "shape",
        "range_a": "A min/max",
        "range_b": "B min/max",
        "gradient": "gradient of",
        "output_": "gradient to input",
        "statistics": "statistics differ by {relative:.1e}",
        "step": "step",
        "other_shape": "Other shape: {name} is {shape_a} in A and {shape_b} in B{remedy}",
        "squeezed": "Shapes differ by axes of length 1: {name} is {shape_a} in A and {shape_b} in B{remedy}",
        "remedy": "; B.{call} makes them equal",
        "transposed": "{name} has the same shape on both sides and another layout: B.{call} makes them equal",
        "other_dtype": "Other dtype: {name} is {dtype_a} in A and {dtype_b} in B",
        "more": " ({count} in all)",
        "swapped": "{one} and {two} are exchanged: {one} of A equals {two_b} of B, and {two} of A equals {one_b} of B. Look at the order of the "
        "layers, or at which name belongs to which.",
        "both_bad": "Not finite at the same places on both sides: {name} ({a})",
        "one_bad": "{name}: A has {a}, B has {b}",
        "none_bad": "finite values only",
        "count_nan": "{count} NaN",
        "count_inf": "{count} infinite",
        "shape_first": "The first that differs, in order, is {name} (step {step}): its shape is {shape_a} and {shape_b}{remedy}.",
    },
}
_FEW = 3
#: Relative error that products of float32 in TF32, HF32 or float16 have.
_SMALL = 5e-3


def sentence(found: ComparedDumps, culprit: FirstDivergence, lang: str) -> list:
    """The sentence that matters, and what must be known beside it."""
    say = WORDS[lang]
    lines = [_said(found, culprit, say)]
    row = culprit.row
    if culprit.kind in ("output", "missing", "state", "backward") and row.verdict == "yes":
        lines.append(say["rule_passes"].format(rule=found.rule.name))
    if culprit.kind in ("output", "backward") and row.pair is not None and row.pair.relative < _SMALL:
        lines.append(say["small"])
    if culprit.random:
        lines.append(say["random"].format(names=", ".join(dict.fromkeys(culprit.random[:_FEW]))))
    return lines


def _said(found: ComparedDumps, culprit: FirstDivergence, say: dict) -> str:
    if culprit.kind == "clean":
        good = all(row.verdict in GOOD for row in found.rows)
        return say["clean" if culprit.judged else "agree" if good else "not_judged"].format(judged=culprit.judged)
    call, row = culprit.call, culprit.row
    key = {"shape": "shape_out"}.get(culprit.kind, culprit.kind)
    if key == "parameter" and call.step > min(r.a.step for r in found.rows):
        key = "parameter_later"
    zeros = row.zeros or (0.0, 0.0)
    missing = "; ".join(say[f"lack_{side}"].format(slot=slot) for side, slot in culprit.missing)
    if key == "shape_out" and (row.remedy or not call.inputs):
        key = "shape_first"
    text = say[key].format(
        remedy=_remedy(row, say),
        op=call.op or row.a.name,
        kind=_kinds(row),
        step=call.step,
        phase=say[{"backward": "backward_"}.get(call.phase, "forward")],
        row=_measure(row, say),
        shape_a=list(row.shapes[0] or ()),
        shape_b=list(row.shapes[1] or ()),
        slot=row.a.slot,
        name=row.a.name,
        missing=missing,
        value_a=_scalar(row, 0),
        value_b=_scalar(row, 1),
        zeros_a=zeros[0],
        zeros_b=zeros[1],
        io=say["gradient" if row.a.io == "gradient" else "output_"],
    )
    return f"{text} {missing}" if key == "shape_out" and missing else text


def _scalar(row, side: int) -> float:
    """The value of a scalar; of any other tensor its largest."""
    ones = (row.pair.a, row.pair.b) if row.pair is not None else row.ones or (None, None)
    value = ones[side].max if ones[side] is not None else None
    return float("nan") if value is None else value


def _kinds(row) -> str:
    kinds = list(dict.fromkeys(kind for kind in (row.a.kind, row.b.kind) if kind))
    return f" ({' / '.join(kinds)})" if kinds else ""


def _measure(row, say: dict) -> str:
    if row.verdict == "unreadable":
        return row.error
    if row.pair is None:
        from msprec.compare.tensors.compare import error_of

        return say["statistics"].format(relative=error_of(row)) if row.ones else say[row.verdict]
    a, b = (_bad(one, say) for one in (row.pair.a, row.pair.b))
    return (
        say["nan"].format(a=a, b=b)
        if (row.pair.a.nan, row.pair.a.inf) != (row.pair.b.nan, row.pair.b.inf)
        else say["relative"].format(relative=row.pair.relative, cosine=row.pair.cosine)
    )


def _bad(one, say: dict) -> str:
    """The values of a tensor that are not finite, in words."""
    parts = [say[f"count_{what}"].format(count=n) for what, n in (("nan", one.nan), ("inf", one.inf)) if n]
    return (", " if say is WORDS["en"] else "、").join(parts) or say["none_bad"]


def _remedy(row, say: dict) -> str:
    return say["remedy"].format(call=row.remedy) if row.remedy else ""


def layouts(found: ComparedDumps, lang: str) -> list:
    """What is told before any value is compared: shapes, dtypes, layouts, exchanged tensors, values that are not finite."""
    say, lines = WORDS[lang], []
    kinds = {
        "other_shape": [row for row in found.rows if row.verdict == "shape"],
        "squeezed": [
            r for r in found.rows if r.verdict != "shape" and None not in r.shapes and r.shapes[0] != r.shapes[1]
        ],
        "transposed": [row for row in found.rows if row.verdict == "no" and row.remedy],
        "other_dtype": [r for r in found.rows if all(r.dtypes) and r.dtypes[0] != r.dtypes[1]],
        "one_bad": [row for row in found.rows if row.pair is not None and _nonfinite(row)[0] != _nonfinite(row)[1]],
        "both_bad": [r for r in found.rows if r.verdict in GOOD and r.pair is not None and any(_nonfinite(r)[0])],
    }
    for key, rows in kinds.items():
        for number, row in enumerate(rows[:_FEW]):
            ones = (row.pair.a, row.pair.b) if row.pair is not None else ()
            text = say[key].format(
                name=row.a.name,
                call=row.remedy,
                remedy=_remedy(row, say),
                **{f"shape_{s}": list(row.shapes[i] or ()) for i, s in enumerate("ab")},
                **{f"dtype_{s}": row.dtypes[i] for i, s in enumerate("ab")},
                **{s: _bad(one, say) for s, one in zip("ab", ones)},
            )
            last = number == _FEW - 1 and len(rows) > _FEW
            lines.append(text + (say["more"].format(count=len(rows)) if last else ""))
    for x, y in found.swapped[:_FEW]:
        lines.append(say["swapped"].format(one=x.a.name, two=y.a.name, one_b=x.b.name, two_b=y.b.name))
    return lines


def _nonfinite(row) -> tuple:
    return (row.pair.a.nan, row.pair.a.inf), (row.pair.b.nan, row.pair.b.inf)


def counts(found: ComparedDumps, lang: str) -> list:
    """How many pass, what has no counterpart, what could not be read."""
    say, rows = WORDS[lang], found.rows
    good = sum(row.verdict in GOOD for row in rows)
    lines = [say["counts"].format(pairs=len(rows), yes=good, no=len(rows) - good, rule=found.rule.name)]
    for key in ("only_a", "only_b"):
        items = getattr(found.paired, key)
        if items:
            names = ", ".join(item.name for item in items[:_FEW])
            lines.append(say[key].format(count=len(items), names=names))
    built = sum(row.how == "structure" for row in rows)
    if built:
        lines.append(say["structure"].format(count=built))
    bad = [row for row in rows if row.verdict == "unreadable"]
    if bad:
        lines.append(say["bad"].format(count=len(bad), names="; ".join(row.error for row in bad[:_FEW])))
    return lines + [f"{dump.path.name}: {note}" for dump in (found.a, found.b) for note in dump.notes]
