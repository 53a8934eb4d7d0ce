"""Data processing: dp.01 to dp.05."""

from msprec.checklists import designed
from msprec.checklists.order import Order
from msprec.checklists.padding import judge_padding
from msprec.checklists.processing import judge_inputs, judge_pair
from msprec.checklists.read_pipelines import judge_scripts
from msprec.checklists.scale import entering, feature_columns, is_token, judge
from msprec.checklists.scaling import input_scaling
from msprec.checklists.sentinels import missing_marks
from msprec.checklists.shards import judge_shards, part_for_one_device
from msprec.checklists.shared import at, first_place, missing, no_training, note, op_place, pipeline_table, train_sets

from msprec.checklist.each_rank import WORST
from msprec.checklist.facts import Fact
from msprec.checklist.finding import Finding, figure, not_applicable, ok, problem, table, undecided, worst
from msprec.checklist.item import item
from msprec.checklist.subject import Subject
from msprec.checklist.text import Joined, Text, listed


@item("dp.01", zh="未对数据进行归一化或标准化", en="Data not normalised or standardised", ranks=WORST)
def normalised(subject: Subject) -> Finding:
    """The delivered input columns of the training set: root mean square, largest value, spread between features.

    Problem: a feature or channel with a root mean square above dp.01.rms and values above dp.01.max_abs, a picture with
    pixels above dp.01.image_abs, all values below dp.01.min_abs, or features whose scales differ dp.01.disparity times;
    unless the code brings them to scale after delivery (first layer a normalisation, a division in construct, in the
    forward function or in the loop), which is then judged with its own factor. Labels are no features. Token ids for an
    embedding: not applicable. The statistics rest on what was delivered, whatever the pipeline says; missing-value marks
    (ds.01) are left out of them.
    """
    if subject.trains_nothing:
        return no_training()
    sets = [dataset for dataset in train_sets(subject) if dataset.columns]
    if not sets:
        return missing("训练集各列的统计", "statistics of a training set's columns")
    return worst([_normalised(subject, dataset) for dataset in sets])


def _normalised(subject: Subject, dataset: Fact) -> Finding:
    features = entering(subject, feature_columns(dataset))
    numeric = [column for column in features if not is_token(subject, column)]
    if features and not numeric:
        return not_applicable(
            Text(
                "输入列 {names} 是送入 Embedding 的编号，不需要归一化。",
                "Column {names} holds ids for an embedding: nothing to normalise.",
                names=listed(column.name for column in features),
            )
        )
    if not numeric:
        return not_applicable(Text("训练集没有数值输入列。", "The training set has no numeric input column."))
    if all(column.max is None for column in numeric):
        return missing("输入列的取值统计", "statistics of the input columns")
    wrong = [verdict for verdict in (_judged(subject, dataset, numeric, column) for column in numeric) if verdict.wrong]
    if not wrong:
        marked = any(missing_marks(subject, dataset, column) for column in numeric)
        shown = [_histogram(column) for column in numeric[:2]]
        return ok(
            _in_range(numeric, marked), [_statistics(numeric), shown, _label_note(dataset), pipeline_table(dataset)]
        )
    return worst([_unless_scaled(subject, dataset, numeric, verdict) for verdict in wrong])


def _judged(subject: Subject, dataset: Fact, numeric: list, column: Fact, factor: float = 1.0):
    return judge(subject, column, factor, missing_marks(subject, dataset, column), alone=len(numeric) == 1)


def _unless_scaled(subject: Subject, dataset: Fact, numeric: list, verdict) -> Finding:
    column = verdict.column
    index = next((number for number, entry in enumerate(dataset.columns) if entry.name == column.name), 0)
    found = [
        scaling
        for scaling in input_scaling(subject, index, column.name or "")
        if not (verdict.disparity and scaling.kind == "factor")
    ]
    shown = [
        subject.code_at(
            [scaling.place for scaling in found], Text("交付之后的缩放", "Scaling after delivery"), "script"
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
    if any(_judged(subject, dataset, numeric, column, factor).wrong is None for factor in known):
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
    return _not_normalised(subject, dataset, numeric, verdict, shown)


def _not_normalised(subject: Subject, dataset: Fact, numeric: list, verdict, shown: list) -> Finding:
    place = op_place(dataset, "map") or first_place(dataset)
    return problem(
        Text(
            "送入网络的数据尺度不当：{wrong}。", "The data reach the network off scale: {wrong}.", wrong=verdict.wrong
        ),
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
            subject.code_at([place, first_place(dataset)], Text("数据处理", "The data processing")),
        ],
        [place],
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
        "{but}交付的输入在正常尺度内（{parts}）。",
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
    return table(Text("交付的输入", "Inputs as delivered"), heads, rows)


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


@item("dp.02", zh="推理时数据处理方式有误", en="Data processed wrongly at inference")
def same_processing(subject: Subject) -> Finding:
    """The pipelines of training beside those of evaluation and inference: their steps, what they deliver, and what the
    network is called with.

    Steps are brought to one form (values a·x + b channel by channel, layout, geometry, colour), so that ToTensor equals
    Rescale and HWC2CHW. Problem: a deterministic step that differs, a random one kept outside training (declared, or seen
    as data that change while the labels stay), values too far apart for anything but other processing (dp.02.shift,
    dp.02.ratio), pictures stretched or moved, channels reversed, a set standardised by its own statistics. Values further
    apart than samples of one source should be (dp.02.near_shift, dp.02.near_ratio) are left open. Steps inside Python
    functions cannot be compared; there the delivered values decide. Nothing evaluated in the run: left open.

    Scripts named beside the run (``--also``) are read: the pipeline that each builds for evaluation or inference is held
    against the recorded one of training. There a difference is a problem only where both sides can be read and come from one
    kind of source; ok only where every step is known and equal.
    """
    if subject.trains_nothing:
        return no_training()
    train = train_sets(subject)
    others = subject.datasets_of("eval", "predict")
    by_network = judge_inputs(subject)
    settled = by_network is not None and by_network.conclusion == "ok"
    found = [judge_pair(subject, _counterpart(train, other), other, settled) for other in others] if train else []
    findings = [*found, *([by_network] if by_network is not None else []), *judge_scripts(subject, train)]
    if not findings:
        return _nothing_evaluated(subject, train)
    return worst(findings)


def _counterpart(train: list, other: Fact) -> Fact:
    """The training set with the columns of the other, else the first."""
    names = [column.name for column in other.columns]
    return next((one for one in train if [column.name for column in one.columns] == names), train[0])


def _nothing_evaluated(subject: Subject, train: list) -> Finding:
    if not train and not subject.trained:
        return missing("数据处理流水线", "data pipeline")
    apart = [one for one in subject.inputs if one.phase != "train" and one.place]
    told = Text(
        "本次运行中只有训练，没有评估或推理。", "The run trained only; nothing was evaluated or inferred in it."
    )
    if apart:
        told = Text(
            "网络在训练之外（{where}）被调用，但它的输入（如编号）没有可与训练比较的数值。",
            "The network was called outside training ({where}), with inputs that have no scale to compare, or another network's.",
            where=at(apart[0].place),
        )
    return undecided(
        told,
        Text(
            "在训练脚本中加入评估（如 Model.eval），用 `msprec run` 再运行；若评估或推理在另一脚本中，"
            "用 `--also 脚本` 指定它（只读取不运行）。",
            "Evaluate in the training script (such as Model.eval) and run it again with `msprec run`; where evaluation or "
            "inference is a script of its own, name it with `--also SCRIPT` (it is read, not run).",
        ),
        [pipeline_table(dataset) for dataset in train],
        [first_place(dataset) for dataset in train],
    )


@item("dp.03", zh="训练时没有对数据集进行混洗", en="Dataset not shuffled for training", ranks=WORST)
def shuffled(subject: Subject) -> Finding:
    """The order in which training samples were delivered, pass by pass; flags only where a single pass was seen.

    Problem: passes repeat the order of the first (dp.03.repeated), samples come grouped by label (few label changes, or
    labels that hang on the position), most samples keep their position (dp.03.equal), or the only shuffle buffer is
    smaller than one batch. OK: passes differ and labels are mixed, or one mixed pass with an effective means of
    shuffling; or unshuffled samples of a training whose recurrent state is carried from step to step. A set of one batch a
    pass: not applicable. One mixed pass without any means is left open.
    """
    if subject.trains_nothing:
        return no_training()
    sets = train_sets(subject)
    if not sets:
        return missing("训练数据集的迭代", "iteration of a training data set")
    return designed.not_shuffled(subject) or worst([Order(subject, dataset).finding() for dataset in sets])


@item("dp.04", zh="涉及到数据补齐时，补齐方式错误", en="Data padded wrongly", ranks=WORST)
def padding(subject: Subject) -> Finding:
    """The padding that was delivered: the value that fills sequences up, its side, and what masks and lengths say of it.

    Problem: a mask that marks padding as real or hides real values (dp.04.contradicts), lengths that do not fit, sides mixed
    between samples (dp.04.mixed), a pad value that is also a real value without mask or length to tell them apart
    (dp.04.inside), training and evaluation that pad otherwise, sequences padded in front whose lengths the network counts from
    the first element, a mask that the network takes for its opposite. Left open: targets whose padding a cross-entropy counts
    (dp.04.counted). A mask may count either way round, and the first place of a
    run may be an end mark. Numeric sequences count only where something pads, masks or measures them. Nothing padded: not
    applicable.
    """
    return judge_padding(subject)


@item("dp.05", zh="并行训练时多节点分片方式错误", en="Data sharded wrongly across nodes in parallel training")
def sharding(subject: Subject) -> Finding:
    """The training sets of all ranks: what num_shards and shard_id say, and what each rank was given in its first pass.

    Problem: shards that do not fit together (not distinct, more of them than ranks, other numbers on other ranks), ranks that
    add up their gradients and were given the same samples (dp.05.overlap of them, told by fingerprints), or files divided by
    their position in a listing that nothing sorts. The same data on all ranks are left open where the model itself is cut, or
    where no gradients were seen to be added up. One device: not applicable, unless it trains on one shard of several.
    """
    if subject.run.rank_size == 1 or (
        subject.run.rank_size is None and subject.run.device_target and subject.ranks == [0]
    ):
        return part_for_one_device(subject) or not_applicable(
            Text("只有一个设备，没有分片。", "The run used one device: nothing is sharded.")
        )
    if subject.run.rank_size is None:
        return missing("设备数", "number of devices")
    return judge_shards(subject)
