"""td.03: What activations and layers gave on the captured batches, with the weights of the start, the middle and the end."""

from collections import Counter

from msprec.bilingual import Joined, Text, listed, percent
from msprec.checklists.common.findings import at, no_training
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.script.class_choice import chosen_at
from msprec.checklists.common.script.setting_origin import UNITS, ArgumentName, argument_origin, count_origins
from msprec.checklists.td.outcome.assessment import assess
from msprec.checklists.td.units.flattened_signal import flattened_signal
from msprec.checklists.td.units.initial_weights import (
    Bias,
    Fading,
    Scale,
    began_far_off,
    drawn_at,
    fading_signal,
    far_biases,
    mostly_saturated,
    narrow_before,
    too_large,
    wide_start,
)
from msprec.checklists.td.units.lost_units import Lost, Moments, kinds
from msprec.checklists.td.units.softmax_between import lone_softmaxes, softmax_between
from msprec.checklists.td.units.wide_tables import wide_tables
from msprec.engine.finding import Finding, ok, problem, table, together, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData

#: Layers made by one line from which on it stands in a loop whose length may be what is wrong.
_IN_A_LOOP = 3
_BIAS_INIT = ArgumentName(("bias_init",), 99)
_ADVICE = {
    "dead": Text(
        "降低学习率、归一化输入、检查该层及其前一层的初始化和偏置；或改用 LeakyReLU、GELU。",
        "Lower the learning rate, normalise the inputs, look at the initial weights and biases of this layer and the one "
        "before; or use LeakyReLU or GELU.",
    ),
    "saturated": Text(
        "归一化输入、用 Xavier 初始化、降低学习率；或在激活前加 BatchNorm、LayerNorm，或改用 ReLU。",
        "Normalise the inputs, initialise with Xavier, lower the learning rate; or put BatchNorm or LayerNorm before the "
        "activation, or use ReLU.",
    ),
    "softmax": Text(
        "把打分除以 sqrt(维数)，归一化输入或打分，并检查初始权重的大小。",
        "Divide the scores by sqrt(dimension), normalise the inputs or the scores, and look at the size of the initial "
        "weights.",
    ),
    "flattened": Text(
        "层间改用 ReLU、GELU 或 tanh，或在 sigmoid 之前加 BatchNorm；sigmoid 只用于输出概率和门控。",
        "Use ReLU, GELU or tanh between layers, or BatchNorm before the sigmoids; a sigmoid is for probabilities and gates.",
    ),
    "alone": Text(
        "沿要分配权重的那个轴（如序列中的位置）做 softmax。",
        "Take the softmax along the axis whose items share the weight, such as the places of a sequence.",
    ),
    "between": Text(
        "层间激活改用 ReLU、GELU 或 tanh；softmax 只用于输出类别概率，或注意力的权重。",
        "Use ReLU, GELU or tanh between layers; a softmax is for the probabilities of classes, or the weights of attention.",
    ),
    "collapsed": Text(
        "在 loss 中对作为目标的一侧使用 stop_gradient（SimSiam、BYOL 还需要 predictor），或加入负样本、方差项；"
        "检查目标网络是否按滑动平均更新。",
        "Put stop_gradient on the side of the loss that serves as the target (SimSiam and BYOL need a predictor too), or add "
        "negatives or a variance term; look at whether a target network follows as a moving average.",
    ),
    "alike": Text(
        "从这一行往前检查：权重是否变为 0 或非常大（学习率、权重衰减），偏置是否盖过输入，输入是否真的到达这一层。",
        "Look from this line backwards: have weights become zero or very large (learning rate, weight decay), does a bias "
        "outweigh the input, does the input reach this layer at all?",
    ),
}


@item("td.03")
def units(run_data: RunData) -> Finding:
    """What activations and layers gave on the captured batches, with the weights of the start, the middle and the end.

    Problem, each with the weights of the end: nearly all units of a ReLU give zero for all captured samples (Lu et al., "Dying
    ReLU and Initialization", 2019), in a training that took away less than td.03.solved of a constant prediction's loss;
    nearly all units of a sigmoid or tanh between layers stand in saturation at one end for all
    samples, or nearly all its values are saturated at the start and at the end (Glorot & Bengio, 2010), or td.03.mostly of two
    or more of them after weights with a gain of td.03.gain where nothing was learnt or the loss began td.03.start times above a
    constant prediction's; nearly all rows of a softmax between layers have one sure winner at the start and at the end, or it
    goes along an axis of size 1; a softmax is all that the next layer is given, in a training that took away less than
    td.03.little of a constant prediction's loss; td.03.flat_sigmoids or more sigmoids stand between layers,
    what the last layer gave at the start changed by less than td.03.flattened of what the first gave, and nothing was learnt; or
    the network's last layers give the same for all samples
    although the inputs differ; or, where the loss compares the network's own outputs, they have come together to
    td.03.collapsed of their size (Chen and He, 2021: SimSiam); or, in a training that learnt nothing or hardly anything, what
    td.03.fading_layers or more layers gave at the start had fallen to td.03.faded, by weights of a gain below td.03.narrow; or
    weights of that gain in half of the layers, or embedding tables of td.03.wide_table, where the loss began td.03.start times
    above a constant prediction's. Not
    judged: gates, masked scores, softmaxes with a temperature, what stands in the loss, and saturation where weights were
    loaded.
    """
    if run_data.trains_nothing:
        return no_training()
    moments = Moments(run_data)
    if run_data.probes.attention_axes:
        return _other_axis(run_data, run_data.probes.attention_axes[0])
    if moments.end is None:
        return undecided(
            Text(
                "各层神经元的输出没有检查：{why}。",
                "What the units give has not been looked at: {why}.",
                why=skipped(run_data, "units"),
            ),
            remedy(run_data, "units"),
        )
    if moments.samples < run_data.limit("td.03.samples"):
        return undecided(
            Text(
                "只保留了 {n} 个样本，不足以判断各层神经元。",
                "Only {n} samples were captured: too few to judge the units.",
                n=moments.samples,
            ),
            Text("用更大的 batch 或更多训练步再运行一次。", "Run once more with larger batches or more steps."),
            [_table(moments)],
        )
    fading = fading_signal(run_data, moments)
    if fading is not None:  # what is that small counts as zero: its units are lost too, and this is why
        return _fades(run_data, moments, fading)
    found = (
        lone_softmaxes(moments)
        or moments.lost()
        or mostly_saturated(run_data, moments)
        or softmax_between(run_data, moments)
    )
    found = found or flattened_signal(run_data, moments)
    if found:
        # dead units in front of a softmax between layers say nothing of it
        others = softmax_between(run_data, moments) if found[0].why == "dead" else []
        told = [_problem(run_data, moments, one) for one in (found, others) if one]
        return together(told)
    wide = wide_start(run_data, moments)
    if wide:
        return _wide(run_data, moments, wide)
    tables = wide_tables(run_data)
    if tables is not None:
        return tables
    return ok(
        Text(
            "在 {n} 个样本上检查了 {layers} 个带权重的层和 {activations} 个激活：没有大面积失活或饱和，网络输出随样本变化。",
            "{layers} layers with weights and {activations} activations were checked on {n} captured samples: none has lost "
            "most of its units, and the network's output differs between samples.",
            n=moments.samples,
            layers=len([one for one in moments.end.entries if one.kind == "layer"]),
            activations=len([one for one in moments.end.entries if one.kind != "layer"]),
        ),
        [_table(moments)],
    )


def _other_axis(run_data: RunData, found) -> Finding:
    places = [one for one in (found.place, found.product) if one]
    if found.unit_length:
        return _other_lengths(run_data, found, places)
    return problem(
        Text(
            "{name}（{place}）沿第 {axis} 轴归一化，而与 value 相乘时是沿第 {summed} 轴求和（形状 {shape}）：权重之和不为 1，"
            "得到的不是加权平均。",
            "{name} at {place} goes along axis {axis}, and the product with the values sums over axis {summed} (shape {shape}): "
            "the weights do not add up to 1 and make no mean of the values.",
            name=found.operator,
            place=at(found.place),
            axis=found.axis,
            summed=found.summed,
            shape=str(tuple(found.shape)),
        ),
        Text(
            "对注意力打分沿 key 所在的轴（通常 axis=-1）做 softmax。",
            "Take the softmax of the scores along the keys' axis, as a rule axis=-1.",
        ),
        run_data.code_at(places, Text("softmax 与其后的乘积", "The softmax and the product after it")),
        places,
    )


def _other_lengths(run_data: RunData, found, places: list) -> Finding:
    if "normalize" in (found.operator or "").lower():  # the axis is given where the operator is made
        places = run_data.find_lines(r"\b\w*[nN]ormalize\s*\(", 2) + places
    return problem(
        Text(
            "{name}（{place}）使向量沿第 {axis} 轴的长度为 1，而其后的乘积沿第 {summed} 轴求和（形状 {shape}）："
            "得到的不是余弦相似度，相似度的大小取决于 batch。",
            "{name} at {place} makes vectors of length 1 along axis {axis}, and the product after it sums over axis {summed} "
            "(shape {shape}): it gives no cosine similarity, and how large it gets depends on the batch.",
            name=found.operator,
            place=at(found.place),
            axis=found.axis,
            summed=found.summed,
            shape=str(tuple(found.shape)),
        ),
        Text(
            "沿特征所在的轴做归一化：MindSpore 的 ops.L2Normalize 默认 axis=0（PyTorch 的 F.normalize 默认 dim=1），"
            "写成 ops.L2Normalize(axis=-1)。",
            "Normalise along the features: ops.L2Normalize goes along axis=0 by default, where PyTorch's F.normalize has dim=1; "
            "write ops.L2Normalize(axis=-1).",
        ),
        run_data.code_at(places, Text("归一化与其后的乘积", "The normalisation and the product after it")),
        places,
    )


def _problem(run_data: RunData, moments: Moments, found: list) -> Finding:
    first: Lost = found[0]
    others = [name for name in dict.fromkeys(one.name for one in found) if name != first.name]
    constant = moments.collapsed and first.why != "alike"
    large, biases = too_large(run_data, moments, found, after=True), far_biases(run_data, moments, found)
    layers = [*(one.layer for one in large), *(one.layer for one in biases)]
    places = [*[one.created for one in layers], *[one.place for one in found]]
    places += [at for one in biases for at in argument_origin(run_data, one.layer.created, _BIAS_INIT)]
    places += drawn_at(run_data, [one.layer for one in large]) if large else []
    narrow = [layer for one in found if one.why == "dead" for layer in narrow_before(moments, one)]
    places += [at for layer in narrow for at in (layer.created, *argument_origin(run_data, layer.created, UNITS)) if at]
    places += [at for one in found for at in chosen_at(run_data, one.place, one.entry.operator or "")]
    places += count_origins(run_data, _made_together(moments)) if first.why in ("alike", "flattened") else []
    if first.why == "collapsed":
        places.insert(0, run_data.probes.written_loss.place)
    return problem(
        Text(
            "{what}{more}{weights}{few}{constant}。",
            "{what}{more}{weights}{few}{constant}.",
            what=first.sentence(),
            weights=Joined([*map(_weights, large[:1]), *map(_biases, biases[:1])], zh="", en=""),
            few=Text(
                "；其前一层 {cell} 只有 {n} 个神经元或通道",
                "; the layer before it, {cell}, has no more than {n} of them",
                cell=narrow[0].cell,
                n=narrow[0].units,
            )
            if narrow
            else "",
            more=Text("；{names} 也是如此", "; the same holds of {names}", names=listed(others)) if others else "",
            constant=Text("；网络对所有样本给出同样的输出", "; the network gives the same output for all samples")
            if constant
            else "",
        ),
        _ADVICE[first.why],
        [_table(moments), *run_data.code_at(places, Text("该层", "The layer"))],
        [place for place in places if place] or [network.place for network in run_data.networks],
    )


def _made_together(moments: Moments) -> list:
    """The places that made three layers or more each, as a loop does."""
    made = [layer.created for layer in moments.layers if layer.created]
    counted = Counter((one.file, one.line) for one in made)
    return [one for one in made if counted[one.file, one.line] >= _IN_A_LOOP]


def _fades(run_data: RunData, moments: Moments, fading: Fading) -> Finding:
    one = fading.small[0]
    return _of_first_weights(
        run_data,
        moments,
        fading.small,
        Text(
            "初始权重过小，信号逐层消失：第一步之前，{layers} 层中最后一层的输出随样本的变化只有第一层的 {ratio}，"
            "其中 {n} 层的权重过小（{cell} 的标准差为 {std}，是保持尺度的 1/√fan_in 的 {gain} 倍）；训练没有学到东西。",
            "The weights start so small that the signal dies out: before the first step, what the last of {layers} layers gives "
            "changes with the samples by {ratio} of what the first gives. The weights of {n} are too small ({cell}: a standard "
            "deviation of {std}, {gain} times the 1/√fan_in that keeps the scale), and nothing was learnt.",
            layers=fading.layers,
            ratio=fading.ratio,
            n=len(fading.small),
            cell=one.layer.cell,
            std=one.std,
            gain=one.gain,
        ),
        Text(
            "用 HeNormal（ReLU）或 XavierUniform（tanh、sigmoid）初始化权重，或在层间加入归一化层。",
            "Draw the weights with HeNormal (ReLU) or XavierUniform (tanh, sigmoid), or put normalisation between the layers.",
        ),
    )


def _wide(run_data: RunData, moments: Moments, large: list) -> Finding:
    outcome, one = run_data.once(assess), large[0]
    if began_far_off(run_data, outcome):
        course = Text(
            "初始权重过大，最初的输出远离目标：loss 从 {start} 开始，是常数预测（{level}）的 {times} 倍，"
            "结束时为 {end}",
            "The weights start so large that the first outputs lie far from the targets: the loss begins at {start}, {times} "
            "times that of a constant prediction ({level}), and ends at {end}",
            start=outcome.start,
            level=outcome.outcome.constant_value,
            times=float(outcome.start or 0.0) / outcome.outcome.constant_value,
            end=outcome.outcome.end,
        )
    else:
        course = Text(
            "初始权重远大于通常的值，无论还有什么问题，而训练没有学到东西",
            "The weights start far larger than is usual, whatever else is wrong, and the training came to nothing",
        )
    return _of_first_weights(
        run_data,
        moments,
        large,
        Text(
            "{course}；{n} 层的权重过大（{cell} 的标准差为 {std}，是保持尺度的 1/√fan_in 的 {gain} 倍）。",
            "{course}. The weights of {n} layers are too large ({cell}: a standard deviation of {std}, {gain} times the "
            "1/√fan_in that keeps the scale).",
            course=course,
            n=len(large),
            cell=one.layer.cell,
            std=one.std,
            gain=one.gain,
        ),
        Text(
            "用默认的初始化，或 HeNormal（ReLU）、XavierUniform（tanh、sigmoid）。",
            "Leave the default initialisation, or draw the weights with HeNormal (ReLU) or XavierUniform (tanh, sigmoid).",
        ),
    )


def _of_first_weights(run_data: RunData, moments: Moments, scales: list, says: Text, advice: Text) -> Finding:
    """A problem of layers by the weights that they began with."""
    layers = [one.layer for one in scales]
    places = [*(one.created for one in layers if one.created), *drawn_at(run_data, layers)]
    return problem(
        says,
        advice,
        [_table(moments), *run_data.code_at(places, Text("这些层", "The layers"))],
        places or [network.place for network in run_data.networks],
    )


def _weights(one: Scale) -> Text:
    return Text(
        "；{name} 的初始权重标准差为 {std}，是保持尺度的 1/√fan_in 的 {gain} 倍",
        "; the weights of {name} start with a standard deviation of {std}, {gain} times the 1/√fan_in that keeps the scale",
        name=one.layer.weight or one.layer.cell,
        std=one.std,
        gain=one.gain,
    )


def _biases(one: Bias) -> Text:
    return Text(
        "；{name} 的偏置从 {value} 开始",
        "; the biases of {name} start at {value}",
        name=one.layer.cell,
        value=one.value,
    )


def _table(moments: Moments):
    rows = []
    for entry, earlier in moments.courses():
        known = [one for one in (*earlier, entry) if one]
        rows.append(
            [
                entry.cell or "—",
                entry.operator,
                entry.units,
                _course([one.dead for one in known]),
                _course([None if one.saturated is None else percent(one.saturated) for one in known]),
                _course([one.alike for one in known]),
                kinds(entry),
                at(entry.created or entry.place),
            ]
        )
    heads = [
        "Cell",
        Text("运算", "operator"),
        Text("神经元数", "units"),
        Text("失活", "dead"),
        Text("饱和占比", "share saturated"),
        Text("对所有样本相同", "same for all samples"),
        Text("用途", "use"),
        Text("位置", "place"),
    ]
    return table(
        Text("保留的 batch 上各层的神经元", "Units on the captured batches"),
        heads,
        rows,
        Text("“→” 依次为训练开始、中间和结束时的权重。", "“→”: with the weights of the start, the middle and the end."),
    )


def _course(values: list) -> str:
    return "" if all(value is None for value in values) else " → ".join("?" if v is None else str(v) for v in values)
