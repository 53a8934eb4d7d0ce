"""dp.01: The delivered input columns of the training set: root mean square, largest value, spread between features."""

from typing import Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.data.input_scale import (
    entering,
    feature_columns,
    is_picture,
    is_token,
    judge,
    on_sound_scale,
    scaled_on_arrival,
)
from msprec.checklists.common.data.missing_value_codes import missing_marks
from msprec.checklists.common.data.target_scale import target_scale
from msprec.checklists.common.data.zeroed_inputs import unless_zeroed
from msprec.checklists.common.findings import (
    at,
    first_place,
    missing,
    no_training,
    note,
    op_place,
    pipeline_table,
    plain_arrays,
    train_sets,
)
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.script.recurrent_state import carried_state, is_state
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.checklists.dp.in_network_normalization import input_scaling
from msprec.checklists.dp.normalization.called_with import called_with
from msprec.checklists.dp.normalization.degrees import degrees_as_radians
from msprec.checklists.dp.normalization.divided_by_variance import divided_by_variance
from msprec.checklists.dp.normalization.divided_too_far import divided_too_far
from msprec.checklists.dp.normalization.each_row import each_row_by_itself
from msprec.checklists.dp.normalization.each_window import each_window_by_itself
from msprec.checklists.dp.normalization.floored import cut_inputs, floored_inputs
from msprec.checklists.dp.normalization.missing_brackets import missing_brackets
from msprec.checklists.dp.normalization.off_centre import off_centre
from msprec.checklists.dp.normalization.scale_places import scale_places
from msprec.engine.finding import Finding, figure, not_applicable, ok, problem, table, together, undecided, worst
from msprec.engine.item import item
from msprec.engine.rank_merge import WORST
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


@item("dp.01", ranks=WORST, after=with_reference)
def normalised(run_data: RunData) -> Finding:
    """The delivered input columns of the training set: root mean square, largest value, spread between features.

    Problem: a feature or channel with a root mean square above dp.01.rms and values above dp.01.max_abs, a picture with
    pixels above dp.01.image_abs, all values below dp.01.min_abs, or features whose scales differ dp.01.disparity times;
    unless a training that came dp.01.solved below a constant prediction did well with values below dp.01.natural times
    dp.01.max_abs, or what the networks were called with, or their first layers were seen to be given, is on a sound scale, a
    normalisation takes what the first layers give (of the scale as a whole), or the code brings them to scale after delivery
    (first layer a normalisation, a division in construct, in the forward function or in the loop), which is then judged with
    its own factor. Labels are no features. Token ids for an embedding: not applicable. The statistics rest on what was
    delivered, whatever the pipeline says; missing-value marks (ds.01) are left out of them.
    Targets of a regression whose root mean square is dp.01.target or more, which enter the loss as they are, are a problem
    where the training did not learn them, or the outputs stay dp.01.target times smaller; from dp.01.far_target on where it
    moved its weights and did not come half way to their mean. So are values that were divided by
    255 although they reached 64 at the most, and a table whose rows were standardised, or windows of a series scaled, each by
    itself, and inputs of which a division of whole numbers left 0 and 1 alone or made features constant, what is divided by
    its variance, and a feature that lies far off 0 and hardly varies beside others. Where no data set was recorded, what the
    network was called with is judged.
    """
    if run_data.trains_nothing:
        return no_training()
    sets = [dataset for dataset in train_sets(run_data) if dataset.columns]
    if not sets:
        return called_with(run_data) or missing("训练集各列的统计", "statistics of a training set's columns")
    targets = [target_scale(run_data, dataset) or divided_too_far(run_data, dataset) for dataset in sets]
    rows = [each_window_by_itself(run_data), *(each_row_by_itself(run_data, dataset) for dataset in sets)]
    inputs = worst(_normalised(run_data, dataset) for dataset in sets)
    rules = (floored_inputs, cut_inputs, off_centre)
    floored = [next(filter(None, (rule(run_data, data) for rule in rules)), None) for data in sets]
    plain = divided_by_variance(run_data) or missing_brackets(run_data) or degrees_as_radians(run_data)
    others = (targets, rows, floored, [plain])
    return together([inputs, *(worst(filter(None, found)) for found in others if any(found))])


def _normalised(run_data: RunData, dataset: Fact) -> Finding:
    features = entering(run_data, feature_columns(dataset))
    tokens = [column for column in features if is_token(run_data, column)]
    numeric = [column for column in features if column not in tokens]
    if tokens and all(column.min == 0 and column.max == 0 for column in numeric):
        numeric = []  # the zero state that a recurrent network starts from has no scale
    if plain_arrays(dataset) and carried_state(run_data, dataset) is not None:
        # what one step hands to the next is computed by the network
        numeric = [column for column in numeric if not is_state(column.name or "")] or numeric
    if features and not numeric:
        return not_applicable(
            Text(
                "输入列 {names} 是送入 Embedding 的编号，不需要归一化。",
                "Column {names} holds ids for an embedding: nothing to normalise.",
                names=listed(column.name for column in tokens),
            )
        )
    if not numeric:
        return not_applicable(Text("训练集没有数值输入列。", "The training set has no numeric input column."))
    if all(column.max is None for column in numeric):
        return missing("输入列的取值统计", "statistics of the input columns")
    wrong = [
        verdict for verdict in (_judged(run_data, dataset, numeric, column) for column in numeric) if verdict.wrong
    ]
    if not wrong:
        marked = any(missing_marks(run_data, dataset, column) for column in numeric)
        shown = [_histogram(column) for column in numeric[:2]]
        return ok(
            _in_range(numeric, marked), [_statistics(numeric), shown, _label_note(dataset), pipeline_table(dataset)]
        )
    found = worst([_unless_scaled(run_data, dataset, numeric, verdict) for verdict in wrong])
    # a normalisation inside the network that overflows leaves zeros; a cast may be all that there is of one
    return unless_zeroed(run_data, found) if any(one.overflows for one in run_data.probes.units.moments) else found


def _judged(run_data: RunData, dataset: Fact, numeric: list, column: Fact, factor: float = 1.0):
    return judge(run_data, column, factor, missing_marks(run_data, dataset, column), alone=len(numeric) == 1)


def _unless_scaled(run_data: RunData, dataset: Fact, numeric: list, verdict) -> Finding:
    column = verdict.column
    if _did_no_harm(run_data, verdict):
        return ok(
            Text(
                "{wrong}，但训练仍学到了几乎全部，这样的尺度没有妨碍它。",
                "{wrong}; but the training learnt nearly all there is, and the scale did it no harm.",
                wrong=verdict.wrong,
            ),
            [_statistics(numeric)],
        )
    received = [] if verdict.disparity else scaled_on_arrival(run_data, column)
    if received:
        return ok(
            Text(
                "{wrong}，但送入网络的已在正常范围之内（{low} 到 {high}）。",
                "{wrong}; but what enters the network is on a sound scale ({low} to {high}).",
                wrong=verdict.wrong,
                low=min(one.min for one in received),
                high=max(one.max for one in received),
            ),
            [_statistics(numeric)],
        )
    index = next((number for number, entry in enumerate(dataset.columns) if entry.name == column.name), 0)
    reached = _reached(run_data, dataset, index, verdict)
    if reached is not None:
        return ok(reached, [_statistics(numeric)])
    if _layers(run_data, dataset, index):  # what they are given was measured, and outranks what the source seems to do
        return _not_normalised(run_data, dataset, numeric, verdict, [])
    found = [
        scaling
        for scaling in input_scaling(run_data, index, column.name or "")
        if not (verdict.disparity and scaling.kind == "factor")
    ]
    shown = [
        run_data.code_at(
            [scaling.place for scaling in found], Text("送出之后的缩放", "Scaling after delivery"), "script"
        )
    ]
    if any(scaling.kind in ("standardise", "norm", "call") for scaling in found):
        return ok(
            Text(
                "{wrong}，但代码在第一层之前把它归一化。",
                "{wrong}; but the code normalises it before the first layer.",
                wrong=verdict.wrong,
            ),
            [_statistics(numeric), shown],
            [scaling.place for scaling in found],
        )
    known = [scaling.factor for scaling in found if scaling.factor is not None]
    if any(_judged(run_data, dataset, numeric, column, factor).wrong is None for factor in known):
        return ok(
            Text(
                "{wrong}，但代码在第一层之前把它缩放到正常范围。",
                "{wrong}; but the code scales it into range before the first layer.",
                wrong=verdict.wrong,
            ),
            [_statistics(numeric), shown],
            [scaling.place for scaling in found],
        )
    if found and not known:
        return undecided(
            Text(
                "{wrong}；代码在第一层之前作了缩放，但无法得知倍数。",
                "{wrong}; the code scales it before the first layer, by how much is not known.",
                wrong=verdict.wrong,
            ),
            Text(
                "打印送入第一层的张量的均值与标准差。",
                "Print the mean and standard deviation of the tensor that enters the first layer.",
            ),
            [_statistics(numeric), shown],
            [scaling.place for scaling in found],
        )
    return _not_normalised(run_data, dataset, numeric, verdict, shown)


def _did_no_harm(run_data: RunData, verdict) -> bool:
    """Whether a scale that is off by less than dp.01.natural times the usual, of features that are alike and no picture, let the
    training come dp.01.solved below a constant prediction."""
    column = verdict.column
    if verdict.disparity or is_picture(column) or not learnt_by(run_data, "dp.01.solved"):
        return False
    largest = max(abs(column.min), abs(column.max))
    return (
        run_data.limit("dp.01.min_abs") <= largest < run_data.limit("dp.01.natural") * run_data.limit("dp.01.max_abs")
    )


def _reached(run_data: RunData, dataset: Fact, index: int, verdict) -> Optional[Text]:
    """What speaks for a column: the first layers that it enters normalise, or are given numbers on a sound scale, as the
    network was seen to compute them; None where it does not, or columns and inputs of the step do not answer to each other."""
    layers = _layers(run_data, dataset, index)
    picture = is_picture(verdict.column)
    sound = [
        one
        for one in layers
        if one.normalizes or (not verdict.disparity and (one.normalized or on_sound_scale(run_data, one, picture)))
    ]
    if not layers or len(sound) < len(layers):
        return None
    if any(one.normalized for one in sound):
        return Text(
            "{wrong}，但第一层（{where}）的输出随即被归一化，输入的大小不起作用。",
            "{wrong}; but what the first layer ({where}) gives is normalised, so that the scale of its input has no effect.",
            wrong=verdict.wrong,
            where=at(layers[0].place),
        )
    known = [one for one in layers if None not in (one.min, one.max)]
    return Text(
        "{wrong}，但网络先作了换算：第一层（{where}）收到的在 {low} 到 {high} 之间，或由它归一化。",
        "{wrong}; but the network converts it first: the first layer ({where}) is given {low} to {high}, or normalises it.",
        wrong=verdict.wrong,
        where=at(layers[0].place),
        low=min((one.min for one in known), default=None),
        high=max((one.max for one in known), default=None),
    )


def _layers(run_data: RunData, dataset: Fact, index: int) -> list:
    """The first layers that a column enters, as the network was seen to compute them; empty where that is not known."""
    inputs = run_data.probes.first_layers
    return inputs[index].layers if len(inputs) == len(dataset.columns) else []


def _not_normalised(run_data: RunData, dataset: Fact, numeric: list, verdict, shown: list) -> Finding:
    places = [op_place(dataset, "map") or first_place(dataset), *array_origins(run_data, dataset, verdict.column)]
    places += scale_places(run_data, places)
    return problem(
        Text("送入网络的数据取值范围不当：{wrong}。", "The inputs are not normalised: {wrong}.", wrong=verdict.wrong),
        Text(
            "在数据处理中加入缩放（如图像用 vision.Rescale(1/255, 0) 与 "
            "vision.Normalize），表格特征用训练集的均值和标准差逐列标准化；推理时用同样的参数。",
            "Scale in the pipeline (pictures: vision.Rescale(1/255, 0) and vision.Normalize; tables: each feature by "
            "the training set's mean and "
            "standard deviation), and use the same numbers at inference.",
        ),
        [
            _statistics(numeric),
            _channels(verdict.column),
            _histogram(verdict.column),
            pipeline_table(dataset),
            shown,
            run_data.code_at([*places, first_place(dataset)], Text("数据处理", "The data processing")),
        ],
        places,
    )


def _in_range(columns: list, marked: bool) -> Text:
    parts = [
        Text(
            "{name}：{low} 到 {high}，均值 {mean}、标准差 {std}",
            "{name} from {low} to {high}, mean {mean}, standard deviation {std}",
            name=column.name,
            low=column.min,
            high=column.max,
            mean=column.mean,
            std=column.std,
        )
        for column in columns[:3]
    ]
    but = Text("不计缺失标记（见 ds.01）时，", ", but for missing-value marks (see ds.01),") if marked else Text("", "")
    return Text(
        "{but}送入网络的输入在正常的取值范围内（{parts}）。",
        "Delivered inputs are{but} on a sound scale ({parts}).",
        but=but,
        parts=Joined(parts, zh="；", en="; "),
    )


def _statistics(columns: list):
    rows = [
        [
            column.name,
            column.dtype,
            "×".join("?" if size is None else str(size) for size in column.shape),
            column.min,
            column.max,
            column.mean,
            column.std,
        ]
        for column in columns
    ]
    heads = [
        Text("列", "column"),
        "dtype",
        Text("形状", "shape"),
        Text("最小", "min"),
        Text("最大", "max"),
        Text("均值", "mean"),
        Text("标准差", "std"),
    ]
    return table(Text("送入网络的输入", "Inputs as delivered"), heads, rows)


def _label_note(dataset: Fact):
    target = next((column for column in dataset.columns if column.name == dataset.label.column), None)
    if dataset.label.kind != "regression" or target is None or (target.std or 0) < 100:
        return None
    return note(
        "回归目标 {name} 的标准差为 {std}；若训练不稳定，可考虑对目标标准化。",
        "The regression target {name} has a standard deviation of {std}; should training be unstable, standardise it "
        "too.",
        name=target.name,
        std=target.std,
    )


def _channels(column: Fact):
    channels = column.channels
    if not 1 < len(channels.mean) <= 512:
        return None
    data = {"mean": channels.mean, "std": channels.std, "min": channels.min, "max": channels.max}
    return figure(Text("{name} 各通道/特征", "Channels or features of {name}", name=column.name), "channels", data)


def _histogram(column: Fact):
    """The distribution of the column's values, by channel where it was recorded so."""
    title = Text("{name} 的取值分布", "Distribution of {name}", name=column.name)
    each = [
        {"name": f"{column.name} [{i}]", "edges": one.edges, "counts": one.counts}
        for i, one in enumerate(column.channels.histograms)
        if one.counts
    ]
    if len(each) > 1:
        return figure(title, "histograms", {"histograms": each, "unit": column.name or ""})
    if not column.histogram.counts:
        return None
    data = {"edges": column.histogram.edges, "counts": column.histogram.counts, "unit": column.name or ""}
    return figure(title, "histogram", data)
