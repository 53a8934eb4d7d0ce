"""What replaying a step has found, in words: the place of the first non-finite value, why, and the usual remedy (mp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import train_sets
from msprec.engine.finding import table
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

WHY = {
    "index_out_of_range": (
        Text(
            "索引超出范围：标签不在类别范围内，或词的编号超出词表",
            "an index is out of range: a label beyond the classes, or an id beyond the table",
        ),
        Text(
            "核对标签的取值与输出的类别数（从 0 起编号），或词表大小",
            "compare the values of the labels (from 0) with the number of outputs, or the ids with the table's size",
        ),
    ),
    "log": (
        Text("对非正数取对数，得到 -inf 或 NaN", "the logarithm of a number that is not positive is -inf or NaN"),
        Text(
            "取对数前加一个小常数或截断，或改用数值稳定的函数（log_softmax、cross_entropy、binary_cross_entropy_with_logits）",
            "add a small constant or clip before the logarithm, or use a function that is stable by itself "
            "(log_softmax, cross_entropy, binary_cross_entropy_with_logits)",
        ),
    ),
    "division": (
        Text("除数为 0", "a division by zero"),
        Text("给除数加一个小常数，或屏蔽为 0 的元素", "add a small constant to the divisor, or mask the zeros out"),
    ),
    "negative_root": (
        Text("负数开方或取分数次幂得到 NaN", "a root or fractional power of a negative number is NaN"),
        Text("先在 0 处截断", "clip at zero first"),
    ),
    "exp": (
        Text(
            "指数溢出：float32 超过 88.7、float16 超过 11.1 即溢出",
            "the exponential overflows: in float32 beyond 88.7, in float16 beyond 11.1",
        ),
        Text(
            "先减去最大值（softmax、logsumexp 的做法），或截断输入",
            "subtract the maximum first (as softmax and logsumexp do) or clip its input",
        ),
    ),
    "cast": (
        Text(
            "超过 float16 最大值 65504 的数被转换为 float16",
            "a value beyond 65504, the largest float16, is cast to float16",
        ),
        Text(
            "这一部分保持 float32；-1e9 的掩码会变成 -inf，应改用 -1e4 或 float16 的最小值",
            "keep this part in float32; a mask of -1e9 becomes -inf: use -1e4 or the smallest float16",
        ),
    ),
    "half": (
        Text("结果超过 float16 的最大值 65504", "the result exceeds 65504, the largest float16"),
        Text(
            "这个表达式用 float32 计算（对该 Cell 调用 to_float(ms.float32)，或先转换类型）",
            "compute this expression in float32 (to_float(ms.float32) on the cell, or a cast before it)",
        ),
    ),
    "half_gradient": (
        Text("梯度超过 float16 的最大值 65504", "a gradient exceeds 65504, the largest float16"),
        Text(
            "减小 loss scale，或用 float32 计算这个表达式",
            "lower the loss scale, or compute this expression in float32",
        ),
    ),
    "inf_minus_inf": (
        Text(
            "NaN 由无穷大产生：inf - inf、0 * inf，或全部为 -inf 的 softmax",
            "NaN comes of infinities: inf - inf, 0 * inf, or a softmax over -inf only",
        ),
        Text(
            "改用有限的大数作掩码，并确认没有整行都被屏蔽",
            "mask with a large finite number, and see that no row is masked entirely",
        ),
    ),
    "blow_up": (
        Text(
            "数值无限增长，通常是学习率过大，或 loss 没有下界",
            "the values have grown without bound: a learning rate that is too large, or a loss without a lower bound, is the "
            "usual cause",
        ),
        Text(
            "减小学习率、加预热，或做梯度裁剪；确认 loss 有下界（见 cg.04）",
            "lower the learning rate, warm it up, or clip the gradients; see that the loss has a lower bound (cg.04)",
        ),
    ),
    "root_at_zero": (
        Text("开方或范数在 0 处的导数是无穷大", "the derivative of a root or norm at zero is infinite"),
        Text("在根号内加一个小常数", "add a small constant under the root"),
    ),
    "data": (
        Text("batch 中本来就有 NaN 或无穷大", "the batch itself holds NaN or infinity"),
        Text("在数据处理中删除或填补这些值", "drop or fill these values in the pipeline"),
    ),
    "update": (
        Text(
            "权重在该步之前已不是有限值，由更早的更新造成",
            "a weight was not finite before the step: an earlier update made it so",
        ),
        Text(
            "减小学习率或做梯度裁剪；查看梯度首次不是有限值的那一步",
            "lower the learning rate, or clip the gradients; look at the first step whose gradients are not finite",
        ),
    ),
}

_PHASES = {
    "data": Text("数据", "data"),
    "forward": Text("前向", "forward"),
    "backward": Text("反向", "backward"),
    "update": Text("更新", "update"),
}


def located(run_data: RunData) -> Optional[Fact]:
    """The first step, of any rank, whose place was found."""
    found = [event for rank in run_data.ranks for event in run_data.events("located", rank) if event.phase]
    return min(found, key=lambda event: event.step or 0, default=None)


def sentence(found: Fact, run_data: Optional[RunData] = None) -> Text:
    """Step, phase, place and reason in one sentence, without a full stop; with the run at hand, the data's column."""
    known = _OUTLIER if found.outlier.samples else WHY.get(_pattern(found))
    if known is not None and _pattern(found) in ("blow_up", "update") and _of_all_outputs(run_data):
        known = _ALL_OUTPUTS
    why = Text("：{why}", ": {why}", why=known[0]) if known else Text("", "")
    return Text(
        "第 {step} 步{phase}{where}{samples}{scale}{why}{outlier}",
        "step {step}, {phase}{where}{samples}{scale}{why}{outlier}",
        step=found.step,
        phase=_PHASES.get(found.phase, found.phase),
        where=_where(found),
        samples=_in_batch(run_data, found),
        scale=_scale(found),
        why=why,
        outlier=_outlier(run_data, found),
    )


def _pattern(found: Fact) -> str:
    return found.pattern or ("update" if found.phase == "update" else "")


def _of_all_outputs(run_data: Optional[RunData]) -> bool:
    return run_data is not None and run_data.probes.differentiated.of == "sum"


def _outlier(run_data: Optional[RunData], found: Fact) -> Text:
    one = found.outlier
    if not one.samples:
        return Text("", "")
    return Text(
        "（{column}batch 中的样本 {n} 含 {value}，其余样本不超过 {usual}{proved}）",
        " ({column}sample {n} of the batch holds {value}, where the others stay within {usual}{proved})",
        column=_column(run_data, one.input),
        n=", ".join(map(str, one.samples)),
        value=one.value,
        usual=one.usual,
        proved=Text("；截断后该步的值都是有限的", "; with the value clipped there the step is finite")
        if one.proved
        else Text("", ""),
    )


_OUTLIER = (
    Text("数据中有离群值，计算因它溢出", "an outlier of the data makes the computation overflow"),
    Text(
        "检查并删除或截断这些样本（见 ds.01、dp.01），或把这一部分保持为 float32",
        "look at these samples and drop or clip them (see ds.01 and dp.01), or keep this part in float32",
    ),
)
_ALL_OUTPUTS = (
    Text(
        "被求导的是函数全部输出之和，它没有下界",
        "the sum of all outputs of the function is differentiated, which has no bound",
    ),
    Text("只对 loss 求导（has_aux=True，见 cg.04）", "differentiate the loss alone (has_aux=True; see cg.04)"),
)


def _in_batch(run_data: Optional[RunData], found: Fact) -> Text:
    """Which elements of the batch came in as NaN or infinity."""
    if not found.samples:
        return Text("", "")
    return Text(
        "，{column}batch 中的样本 {n}（首个位置 {at}）",
        ", {column}samples {n} of the batch (first at {at})",
        column=_column(run_data, found.input),
        n=", ".join(map(str, found.samples)),
        at=str(list(found.elements[0])) if found.elements else str(found.samples[0]),
    )


def _column(run_data: Optional[RunData], position: Optional[int]) -> Text:
    """The name of an input of the step, where the training set delivers as many columns as tell it."""
    sets = train_sets(run_data)[:1] if run_data is not None else []
    names = [column.name for dataset in sets for column in dataset.columns]
    if position is None or position >= len(names):
        return Text("", "")
    return Text("列 {name}，", "column {name}, ", name=names[position])


def _where(found: Fact) -> Text:
    if found.phase == "update" and found.parameter:
        return Text("，参数 {name}", ", parameter {name}", name=found.parameter)
    cell = Text("（Cell {cell}）", " (cell {cell})", cell=found.cell) if found.cell else Text("", "")
    if not found.place:
        return Text("，`{code}`{cell}", ", `{code}`{cell}", code=found.expression or found.operator, cell=cell)
    return Text(
        "，{place} 的 `{code}`{cell}",
        ", `{code}` at {place}{cell}",
        place=f"{found.place.file}:{found.place.line}",
        code=found.expression or found.operator,
        cell=cell,
    )


def _scale(found: Fact) -> Text:
    if found.vanishes_at is None:
        return Text("", "")
    return Text(
        "，scale 为 {scale}，降到 {low} 时消失",
        ", at a scale of {scale}; it vanishes at {low}",
        scale=found.scale,
        low=found.vanishes_at,
    )


def remedy(found: Fact) -> Optional[Text]:
    """The usual remedy of the pattern, or None."""
    known = _OUTLIER if found.outlier.samples else WHY.get(found.pattern or "")
    return known[1] if known else None


def evidence(run_data: RunData, found: Fact) -> list:
    """The lines around the place, the tensors that went in and came out, and how exact the replay was."""
    places = [place for place in (found.place, *reversed(found.stack)) if place]
    rows = [
        [role, value.dtype, "×".join(map(str, value.shape)), value.min, value.max, value.zeros, value.nan, value.inf]
        for role, values in ((Text("输入", "input"), found.inputs), (Text("结果", "result"), found.results))
        for value in values
    ]
    heads = [
        Text("张量", "tensor"),
        "dtype",
        Text("形状", "shape"),
        Text("最小（有限）", "min (finite)"),
        Text("最大（有限）", "max (finite)"),
        Text("零的占比", "share of zeros"),
        Text("NaN 占比", "share of NaN"),
        Text("Inf 占比", "share of infinity"),
    ]
    return [
        run_data.code_at(places[:1], Text("首个非有限值", "The first non-finite value")),
        run_data.code_at([place for place in places[1:] if place != places[0]], Text("调用处", "Called from")),
        table(Text("该表达式的张量", "Tensors of that expression"), heads, rows) if rows else None,
        _exactness(found),
    ]


def _exactness(found: Fact):
    from msprec.checklists.common.findings import note

    if found.exact is not False:
        return None
    return note(
        "重放的 loss 为 {again}，记录的为 {loss}：重放并不完全一致。",
        "The replay gave a loss of {again}, the run recorded {loss}: it was not repeated exactly.",
        again=found.replayed_loss,
        loss=found.recorded_loss,
    )
