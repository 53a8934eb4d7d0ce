"""Are delivered features on unit scale? The judgement on one training set's columns (dp.01)."""

import ast
import math
import re
from collections.abc import Sequence
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.one_quantity import is_one_quantity
from msprec.checklists.common.findings import train_sets
from msprec.checklists.common.loss.target_columns import column_of
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, called_name, construct_of, own_attribute

_NOT_A_FEATURE = re.compile(
    r"(^|_)(mask|ids?|idx|index|weights?|length|lens?|segment|token_type|position)($|_|s$)", re.IGNORECASE
)


class JudgedScale:
    """The verdict on one column: ``wrong`` is the sentence that says what is off, or None."""

    def __init__(self, column: Fact, wrong: Optional[Text], disparity: bool = False):
        self.column, self.wrong, self.disparity = column, wrong, disparity


#: Calls that take rows of a table by their numbers: ops.Gather, ops.gather, embedding, one_hot.
_LOOKS_UP = r"\b(gather|gather_nd|embedding|embedding_lookup|one_hot|Gather|GatherV2|EmbeddingLookup|OneHot)\("


def feature_columns(dataset: Fact) -> list:
    """The numeric columns that are input: neither label nor text nor masks, lengths and ids, nor one number of the whole step, as
    its rate is."""
    beside = {told.column for one in dataset.padding for told in (one.mask, one.length)}
    return [
        column
        for column in dataset.columns
        if column.name != dataset.label.column
        and column.kind in ("float", "int", "bool")
        and (column.batched is not False or column.shape)
        and not _NOT_A_FEATURE.search(column.name or "")
        and column.name not in beside
    ]


def entering(run_data: RunData, columns: list) -> list:
    """Of the columns those that the network is called with, where its calls tell; the others are targets, as boxes are.

    A column is told by its number of values a sample. Calls that take something no column has (columns joined before the
    network, say) tell nothing. What a loss took as its targets on the watched step is none, where other columns are left.
    """
    columns = [column for column in columns if _in_each_sample(run_data, column)] or columns
    compared = {id(found[1]) for one in _compared(run_data) if (found := column_of(run_data, one)) is not None}
    columns = [column for column in columns if id(column) not in compared] or columns
    given = {id(column) for column in _given_to_loss(run_data)}
    columns = [column for column in columns if _in_step(run_data, column)] or columns
    columns = [column for column in columns if not _in_no_layer(run_data, column)] or columns
    others = [column for column in columns if id(column) not in given]
    columns = others if any(column.kind == "float" for column in others) else columns
    calls = [one for one in run_data.inputs if one.phase == "train" and one.level == "network" and one.arguments]
    taken = {values_in(argument.shape) for one in calls for argument in one.arguments}
    sizes = {values_in(column.shape) for column in columns}
    if not taken or None in taken | sizes or not taken <= sizes:
        return columns
    return [column for column in columns if values_in(column.shape) in taken]


def _in_each_sample(run_data: RunData, column: Fact) -> bool:
    """Whether a column has a row for each sample, as far as a run without optimizers tells, whose weights may be handed to the
    step beside the samples."""
    size = values_in(column.shape)
    sets = [one for one in train_sets(run_data) if any(held is column for held in one.columns)]
    if run_data.optimizers or not size or not sets or not sets[0].scanned.samples or not column.elements:
        return True
    return column.elements == size * sets[0].scanned.samples


def _in_no_layer(run_data: RunData, column: Fact) -> bool:
    """Whether a column was seen to enter no layer, where others do, and real ones where it is real: numbers of rows that nothing
    takes, or times that a loss of the script's own compares."""
    seen = run_data.probes.first_layers
    sets = [one for one in train_sets(run_data) if len(one.columns) == len(seen)]
    if len(sets) != 1:
        return False
    taken = [one for one, entered in zip(sets[0].columns, seen) if entered.layers]
    if not taken or (column.kind != "int" and all(one.kind == "int" for one in taken)):
        return False
    return any(one is column and not entered.layers for one, entered in zip(sets[0].columns, seen))


def _in_step(run_data: RunData, column: Fact) -> bool:
    """Whether the training steps were called with numbers of that range, as many a sample: the number of a row is not, nor boxes
    that an evaluation alone needs. True where that is not known."""
    calls = [one for one in run_data.inputs if one.phase == "train" and one.level == "step" and one.arguments]
    taken = [one for call in calls for one in call.arguments]
    given = [one for one in taken if values_in(one.shape) == values_in(column.shape)]
    if taken and not given:
        sizes = {values_in(one.shape) for dataset in train_sets(run_data) for one in dataset.columns}
        return None in sizes or not {values_in(one.shape) for one in taken} <= sizes
    if not given or None in (column.min, column.max) or any(None in (one.min, one.max) for one in given):
        return True
    wide = column.max - column.min
    return any(one.max - one.min >= 0.5 * wide or column.kind != "int" for one in given)


def on_sound_scale(run_data: RunData, values: Fact, picture: bool) -> bool:
    """Whether numbers with ``min``, ``max``, ``mean`` and ``std`` are neither far from unit scale nor all next to 0."""
    numbers = (values.min, values.max, values.mean, values.std)
    if None in numbers:
        return False
    most = _most(values.min, values.max)
    far = _is_far(run_data, numbers, 1.0) or (picture and most >= run_data.limit("dp.01.image_abs"))
    return not far and most >= run_data.limit("dp.01.min_abs")


def _compared(run_data: RunData) -> list:
    """The targets of the losses on the watched step, as they are delivered."""
    probes = run_data.probes
    return [one.targets for one in (*probes.losses, *probes.other_losses) if one.targets.factor is not None]


def _given_to_loss(run_data: RunData) -> list:
    """The columns that a loss of the script's own was given as they are, where each column is an input of the step.

    Of an autoencoder that is what enters the network too: its loss alone tells no labels from inputs.
    """
    return [
        dataset.columns[position]
        for one in run_data.probes.own_losses
        for dataset in run_data.datasets_of("train")
        if len(dataset.columns) == one.targets.inputs
        for position in (*one.beside, one.targets.input)
        if position is not None and position < len(dataset.columns)
    ]


def values_in(shape: list) -> Optional[int]:
    """How many values a sample of that shape has; None where a length is not known."""
    return None if None in shape else math.prod(shape)


def is_token(run_data: RunData, column: Fact) -> bool:
    """Whole numbers that a network looks up rather than computes with: it has an embedding, or gathers rows of a table."""
    if column.kind != "int" or is_picture(column):
        return False
    if any("embed" in (cell.class_ or "").lower() for network in run_data.networks for cell in network.cells):
        return True
    return bool(run_data.find_lines(_LOOKS_UP, most=1)) or _indexes_a_table(run_data) or _only_indexes(run_data, column)


def _indexes_a_table(run_data: RunData) -> bool:
    """Whether a ``construct`` takes rows of a Parameter of its cell by the numbers that it is given: ``self.table[ids]``."""
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.ClassDef):
            construct = construct_of(node)
            if construct is None:
                continue
            tables = {
                own_attribute(target)
                for one in ast.walk(node)
                if isinstance(one, ast.Assign)
                and isinstance(one.value, ast.Call)
                and called_name(one.value) == "Parameter"
                for target in one.targets
            } - {""}
            given = argument_names(construct)
            for one in ast.walk(construct):
                index = one.slice if isinstance(one, ast.Subscript) and own_attribute(one.value) in tables else None
                if isinstance(index, ast.Name) and index.id in given:
                    return True
    return False


def _only_indexes(run_data: RunData, column: Fact) -> bool:
    """Whether a function of the script takes an argument of the column's name, and only to take rows by it, ``net(x)[nodes]``."""
    for file in run_data.source.trees:
        for function in run_data.source.nodes(file, ast.FunctionDef):
            if column.name not in argument_names(function):
                continue
            rows = {id(one.slice) for one in ast.walk(function) if isinstance(one, ast.Subscript)}
            read = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == column.name]
            if read and all(id(one) in rows for one in read):
                return True
    return False


def is_picture(column: Fact) -> bool:
    return len(column.shape) >= 3 or (len(column.shape) == 2 and "uint8" in (column.dtype or "").lower())


def judge(
    run_data: RunData,
    column: Fact,
    factor: float = 1.0,
    marks: Sequence = (),
    alone: bool = False,
    between: bool = True,
) -> JudgedScale:
    """The column's values, times ``factor``, against the thresholds; without its ``marks`` for missing values (ds.01).

    ``alone``: no other column enters the network; ``between``: features are held against each other, too.
    """
    if None in (column.min, column.max, column.mean, column.std):
        return JudgedScale(column, None)
    groups = _groups(column, marks)
    if not groups:
        return JudgedScale(column, None)
    largest = max(_most(low, high) for low, high, _, _ in groups) * abs(factor)
    lone = "dp.01.lone_failed" if learning_outcome(run_data).verdict == "nothing" else "dp.01.lone"
    wider = run_data.limit(lone) if alone and values_in(column.shape) == 1 else 1.0
    far = [group for group in groups if _is_far(run_data, group, factor / wider)]
    if far:
        return JudgedScale(column, _far_words(column, far, len(groups), factor))
    if not marks and is_picture(column) and largest >= run_data.limit("dp.01.image_abs"):
        return JudgedScale(column, _far_words(column, [(column.min, column.max, column.mean, column.std)], 1, factor))
    if 0 < largest < run_data.limit("dp.01.min_abs"):
        return JudgedScale(
            column,
            Text(
                "{name} 的取值全部在 ±{largest} 以内，取值范围过小",
                "all values of {name} lie within ±{largest}: far too small a scale",
                name=column.name,
                largest=float(largest),
            ),
        )
    shifted = _judge_offset(run_data, column, groups)
    if shifted is not None or not between:
        return shifted or JudgedScale(column, None)
    return _judge_disparity(run_data, column, groups)


def scaled_on_arrival(run_data: RunData, column: Fact) -> list:
    """What the networks were called with in training that has as many values a sample as a column whose scale as a whole is
    off, where all of it is on a sound one; empty where any is not, and where nothing of that size is known."""
    calls = [one for one in run_data.inputs if one.phase == "train" and one.level == "network"]
    size = values_in(column.shape)
    given = [one for call in calls for one in call.arguments if size is not None and values_in(one.shape) == size]
    known = all(None not in (one.min, one.max, one.mean, one.std) for one in given)
    return given if known and all(judge(run_data, one, between=False).wrong is None for one in given) else []


def _judge_offset(run_data: RunData, column: Fact, groups: list) -> Optional[JudgedScale]:
    """Every feature or channel all but constant beside its distance from zero: shifted by far more than it varies."""
    moving = [(abs(mean) / std, mean, std) for _, _, mean, std in groups if std > 0]
    if column.kind != "float" or not moving or min(moving)[0] < run_data.limit("dp.01.offset"):
        return None
    _, mean, std = min(moving)
    words = Text(
        "{name} 几乎是常数：均值 {mean}、标准差只有 {std}（各特征/通道的均值至少是标准差的 {ratio} 倍），"
        "归一化的常数与数据不在同一单位上",
        "{name} is all but constant: mean {mean} with a standard deviation of only {std} (in every feature or channel the mean "
        "is {ratio} times the deviation or more), as when the constants of a normalisation are in another unit than the data",
        name=column.name,
        mean=float(mean),
        std=float(std),
        ratio=round(min(moving)[0], 1),
    )
    return JudgedScale(column, words, disparity=True)


def _groups(column: Fact, marks: Sequence) -> list:
    """(min, max, mean, std) of the column as a whole, or of each channel or feature.

    A missing-value mark spoils the statistics of its feature: such a feature is judged by the range of its other values.
    """
    channels = column.channels
    rows = list(zip(channels.min, channels.max, channels.mean, channels.std))
    if not rows or any(None in row for row in rows):
        rows = [(column.min, column.max, column.mean, column.std)]
    for mark in marks:
        index = mark.feature if mark.feature is not None and len(rows) > 1 else 0
        if index < len(rows) and mark.others_low is not None and mark.others_high is not None:
            low, high = mark.others_low, mark.others_high
            rows[index] = (low, high, (low + high) / 2, (high - low) / 4)
    return rows


def _is_far(run_data: RunData, group: tuple, factor: float) -> bool:
    low, high, mean, std = group
    rms = math.hypot(mean, std) * abs(factor)
    return rms >= run_data.limit("dp.01.rms") and _most(low, high) * abs(factor) >= run_data.limit("dp.01.max_abs")


def _most(low: float, high: float) -> float:
    return max(abs(low), abs(high))


def _far_words(column: Fact, far: list, groups: int, factor: float) -> Text:
    low, high = min(group[0] for group in far) * factor, max(group[1] for group in far) * factor
    of = (
        Text("（{n} 个特征/通道中的 {far} 个）", " ({far} of {n} features or channels)", n=groups, far=len(far))
        if groups > 1
        else Text("", "")
    )
    return Text(
        "{name} 的取值为 {low} 到 {high}{of}，均值 {mean}、标准差 {std}",
        "{name} runs from {low} to {high}{of}, mean {mean}, standard deviation {std}",
        name=column.name,
        low=float(low),
        high=float(high),
        of=of,
        mean=float(column.mean * factor),
        std=float(column.std * abs(factor)),
    )


#: What a computation in float64 leaves of a zero, as sin(π) does, beside values of 1.
_ROUNDING = 1e-13
#: Features of which one that is nearly constant says nothing of the others.
_FEW = 3


def _drowned_about_means(groups: list, moving: list, limit: float) -> Optional[tuple]:
    """The features that vary least and most, where half of all vary about their means by no more than 1 / ``limit`` of the one
    that varies most: one offset for all leaves them alike in size."""
    away = {at: max(groups[at][1] - groups[at][2], groups[at][2] - groups[at][0]) for _, _, at in moving}
    large = max(moving, key=lambda row: row[0])
    drowned = [row for row in moving if limit * row[0] <= large[0] and limit * away[row[2]] <= away[large[2]]]
    several = len(moving) > _FEW and 2 * len(drowned) >= len(moving)
    return (min(drowned, key=lambda row: row[0]), large) if several else None


def _judge_disparity(run_data: RunData, column: Fact, groups: list) -> JudgedScale:
    """Features that differ by orders of magnitude in spread and in size (a rare one-hot feature: in spread alone).

    The pixels of a picture are one quantity: a border that hardly varies is no other unit.
    """
    noise = _ROUNDING * max(_most(low, high) for low, high, _, _ in groups)
    moving = [(std, _most(low, high), index) for index, (low, high, _, std) in enumerate(groups) if std > noise]
    if len(moving) < 2 or is_picture(column) or is_one_quantity(run_data, column):
        return JudgedScale(column, None)
    limit = run_data.limit("dp.01.disparity")
    small, large = min(moving, key=lambda row: row[1]), max(moving, key=lambda row: row[1])
    if large[1] < limit * small[1] or large[0] < limit * small[0]:
        small, large = _drowned_about_means(groups, moving, limit) or (None, None)
        if small is None or large is None:
            return JudgedScale(column, None)
    words = Text(
        "{name} 的特征的取值范围相差悬殊：特征 {i} 的标准差为 {small}，特征 {j} 为 {large}",
        "features of {name} differ in scale by orders of magnitude: standard deviation {small} in feature {i}, {large}"
        " in feature {j}",
        name=column.name,
        i=small[2],
        small=float(small[0]),
        j=large[2],
        large=float(large[0]),
    )
    return JudgedScale(column, words, disparity=True)
