"""Do two sets of delivered values look prepared alike? Their recorded statistics compared, channel by channel (dp.02)."""

import math
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_FEW = 64  # elements below which a spread says little
# how closely the shape of a distribution must agree before one is taken for the other, moved and stretched
_SAME_SHAPE = 0.03
_TAILS = 20.0
# standard deviations off the mean from which on single samples make the spread, where training's lie half as far off at most
_OUTLIERS = 10.0
# how closely range and standard deviation have to be stretched alike
_AS_MUCH = 1.2
# features, and samples, of which one side is standardised and the other is not; how closely the one has to be
_STANDARD_FEATURES, _STANDARD_SAMPLES, _STANDARD = 3, 32, 0.1
# a feature that leaves its bound in fewer samples than this has the spread of those few
_EVENTS = 15


class DistributionDifference(NamedTuple):
    """``level``: "close", "alike", "doubtful" or "apart"; ``says``: the sentence, where it is one of the last two."""

    level: str
    says: Optional[Text] = None


class ColumnValues(NamedTuple):
    """A column (or argument) with the number of samples that its statistics rest on."""

    column: Fact
    samples: int


def seen_samples(dataset: Fact) -> int:
    """Distinct samples that the statistics of a set rest on: passes over the same set do not count anew."""
    scanned = dataset.scanned.samples or 0
    return min(scanned, dataset.samples_per_pass or scanned)


def comparable(column: Fact) -> bool:
    """Real numbers or pictures; ids and counts have no scale to compare."""
    known = None not in (column.min, column.max, column.mean, column.std)
    picture = len(column.shape) >= 3 or (column.dtype or "").lower() == "uint8"
    return known and (column.kind == "float" or (column.kind == "int" and picture))


def compare(run_data: RunData, reference: ColumnValues, other: ColumnValues) -> DistributionDifference:
    """``reference``: as in training; ``other``: as in evaluation or inference."""
    a, b = reference.column, other.column
    if not comparable(a) or not comparable(b):
        return DistributionDifference("alike")
    mine, theirs = _groups(a), _groups(b)
    if len(mine) != len(theirs):
        mine, theirs = [_whole(a)], [_whole(b)]
    ways = (
        _stretched(run_data, a, b),
        _swapped(run_data, mine, theirs, other.samples),
        _standardised_alone(run_data, mine, theirs, min(reference.samples, other.samples)),
        rearranged(run_data, reference, other),
    )
    found = [one for one in ways if one is not None]
    fewer = other._replace(samples=min(reference.samples, other.samples))
    found.append(_group(run_data, _whole(a), _whole(b), fewer, False))
    if len(mine) > 1:
        # single features differ by chance, and where training is augmented: only what nothing else explains counts
        pairs = [
            (number, x, y)
            for number, (x, y) in enumerate(zip(mine, theirs))
            if _events(x, reference) >= _EVENTS and _events(y, other) >= _EVENTS
        ]
        single = [_group(run_data, x, y, fewer, number) for number, x, y in pairs]
        found += [one for one in single if one.level == "apart"]
    order = ("apart", "doubtful", "alike", "close")
    return min(found, key=lambda one: order.index(one.level))


def _whole(column: Fact) -> tuple:
    return column.min, column.max, column.mean, column.std


def _groups(column: Fact) -> list:
    channels = column.channels
    rows = list(zip(channels.min, channels.max, channels.mean, channels.std))
    # where their number changes, as from one training to the next, not every batch has each of them
    changing = channels.axis and (column.shape or [])[channels.axis - 1 : channels.axis] == [None]
    usable = rows and len(rows) <= 512 and not changing and not any(None in row for row in rows)
    return rows if usable else [_whole(column)]


def _group(run_data: RunData, mine: tuple, theirs: tuple, other: ColumnValues, number) -> DistributionDifference:
    """Two groups of values; ``number``: the channel's or feature's, False for the whole column."""
    low, high, mean, std = mine
    if not std:
        return DistributionDifference("alike")
    noise = 4.0 / math.sqrt(max(1, other.samples))
    shift = abs(theirs[2] - mean) / std
    ratio = theirs[3] / std
    spread = _spread(ratio)
    if (other.column.elements or 0) < _FEW or other.samples < 4 or (high - low) / std > _TAILS:
        spread = min(spread, 1.0 + (spread - 1.0) * 0.25)
    if _tail(theirs) > max(_OUTLIERS, 2 * _tail(mine)):
        spread = 1.0  # a few samples made it: scaling leaves the shape of a distribution as it is
    far_shift, far_ratio = run_data.limit("dp.02.shift"), run_data.limit("dp.02.ratio")
    if _is_window(other.column):
        far_shift = run_data.limit("dp.02.drift")  # what comes later may well lie higher
    if shift > far_shift + noise or (spread >= far_ratio and not _is_constant(theirs)):
        return DistributionDifference("apart", _sentence(mine, theirs, number))
    if shift > run_data.limit("dp.02.near_shift") + noise or spread >= run_data.limit("dp.02.near_ratio") + noise:
        return DistributionDifference("doubtful", _sentence(mine, theirs, number))
    near, much = run_data.limit("dp.02.close_shift"), run_data.limit("dp.02.close_ratio")
    return DistributionDifference("close" if shift < near + noise and spread < much + noise else "alike")


def _is_window(column: Fact) -> bool:
    """Real numbers of several quantities at several times: windows of a series."""
    return column.kind == "float" and len(column.shape) == 2


def _events(values: tuple, of: ColumnValues) -> float:
    """In how many samples a feature leaves the bound that it usually has, as a pixel at the border does: where a share p of them
    does, (mean - bound)² ÷ variance is about p. Infinite where the feature is constant."""
    low, high, mean, std = values
    return of.samples * (min(mean - low, high - mean) / std) ** 2 if std else math.inf


def _tail(values: tuple) -> float:
    """How far the value furthest from the mean lies from it, in standard deviations."""
    low, high, mean, std = values
    return max(high - mean, mean - low) / std if std else 0.0


def _is_constant(values: tuple) -> bool:
    return values[0] == values[1]


def _spread(ratio: float) -> float:
    return math.inf if ratio <= 0 else max(ratio, 1 / ratio)


def _sentence(mine: tuple, theirs: tuple, number) -> Text:
    where = Text("第 {n} 个通道/特征", "in channel or feature {n} ", n=number) if number is not False else Text("", "")
    return Text(
        "{where}均值 {m1} 对 {m2}，标准差 {s1} 对 {s2}，范围 {l1}–{h1} 对 {l2}–{h2}",
        "{where}mean {m1} against {m2}, standard deviation {s1} against {s2}, range {l1} to {h1} against {l2} to {h2}",
        where=where,
        m1=mine[2],
        m2=theirs[2],
        s1=mine[3],
        s2=theirs[3],
        l1=mine[0],
        h1=mine[1],
        l2=theirs[0],
        h2=theirs[1],
    )


def _stretched(run_data: RunData, a: Fact, b: Fact) -> Optional[DistributionDifference]:
    """Pictures and series whose values are distributed alike but over another range: stretched by the processing, and pictures
    moved by it."""
    if len(a.shape) < 3 and not (len(a.shape) == 1 and (a.shape[0] or 0) >= 16):
        return None
    first, second = a.max - a.min, b.max - b.min
    if first <= 0 or second <= 0 or a.std <= 0:
        return None
    places = [(one.mean - one.min) / (one.max - one.min) for one in (a, b)]
    widths = [one.std / (one.max - one.min) for one in (a, b)]
    if abs(places[0] - places[1]) > _SAME_SHAPE or abs(widths[0] - widths[1]) > _SAME_SHAPE:
        return None
    # the range of values with a long tail is its one largest value: stretched is what lies inside as well
    if _spread((b.std / a.std) / (second / first)) > _AS_MUCH:
        return None
    # the ends of unbounded values move with the number of samples: only a clear stretch counts
    little = _spread(second / first) < run_data.limit("dp.02.stretch")
    drifts = len(a.shape) == 1  # a series that goes up moves by itself
    if little and (drifts or abs(b.min - a.min) < run_data.limit("dp.02.moved") * a.std):
        return None
    return DistributionDifference("apart", _sentence(_whole(a), _whole(b), False))


def _swapped(run_data: RunData, mine: list, theirs: list, samples: int) -> Optional[DistributionDifference]:
    """Three channels that agree only when read backwards: RGB against BGR."""
    if len(mine) != 3 or samples < 8 or any(not one[3] for one in mine):
        return None
    straight = max(abs(x[2] - y[2]) / x[3] for x, y in zip(mine, theirs))
    backwards = max(abs(x[2] - y[2]) / x[3] for x, y in zip(mine, reversed(theirs)))
    apart = run_data.limit("dp.02.close_shift") + 2.0 / math.sqrt(samples)
    if straight < apart or backwards > straight / run_data.limit("dp.02.reversed"):
        return None
    return DistributionDifference(
        "apart",
        Text(
            "三个通道的均值倒序后才一致（{a} 对 {b}）：通道顺序（RGB/BGR）相反",
            "the means of the three channels agree only in reverse order ({a} against {b}): RGB against BGR",
            a=", ".join(f"{x[2]:.3g}" for x in mine),
            b=", ".join(f"{y[2]:.3g}" for y in theirs),
        ),
    )


def _standardised_alone(run_data: RunData, mine: list, theirs: list, samples: int) -> Optional[DistributionDifference]:
    """Features with a mean of 0 and a deviation of 1, each of them, on one side, and none of them on the other."""
    if len(mine) < _STANDARD_FEATURES or samples < _STANDARD_SAMPLES:
        return None
    standard = [all(_is_standard(one, samples) for one in groups) for groups in (mine, theirs)]
    ratios = [_spread(y[3] / x[3]) if x[3] and y[3] else 1.0 for x, y in zip(mine, theirs)]
    if standard[0] == standard[1] or min(ratios) < run_data.limit("dp.02.near_ratio"):
        return None
    deviations = [f"{one[3]:.3g}" for one in (theirs if standard[0] else mine)[:4]]
    where = Text("训练数据", "the training data") if standard[0] else Text("推理数据", "the data of the inference")
    return DistributionDifference(
        "apart",
        Text(
            "只有{where}逐特征标准化（均值 0、标准差 1），另一边的标准差为 {deviations}",
            "only {where} are standardised, each feature with a mean of 0 and a deviation of 1; the others' deviations are "
            "{deviations}",
            where=where,
            deviations=", ".join(deviations),
        ),
    )


def _is_standard(values: tuple, samples: int) -> bool:
    noise = _STANDARD + 2.0 / math.sqrt(samples)
    return abs(values[2]) <= noise and abs(values[3] - 1) <= noise


def rearranged(run_data: RunData, reference: ColumnValues, other: ColumnValues) -> Optional[DistributionDifference]:
    """Pictures of the same values, whose channels are all alike on one side and far apart on the other: reshaped from
    (H, W, C) to (C, H, W) where the axes should have been transposed."""
    a, b = reference.column, other.column
    mine, theirs = _groups(a), _groups(b)
    if len(a.shape) != 3 or a.shape != b.shape or not 2 <= len(mine) == len(theirs) <= 8:
        return None
    if min(reference.samples, other.samples) < 64 or not a.std or not b.std:
        return None
    alike = run_data.limit("dp.02.channels_alike")
    same = abs(a.mean - b.mean) <= alike * a.std and _spread(b.std / a.std) <= 1 + alike
    apart = sorted((_channels_apart(mine, a), _channels_apart(theirs, b)))
    if not same or apart[0] > alike or apart[1] < run_data.limit("dp.02.channels_apart"):
        return None
    return DistributionDifference(
        "apart",
        Text(
            "数值的整体分布相同，但一边各通道彼此相同（标准差 {a}），另一边各通道不同（{b}）：像素在轴之间错位，"
            "如把 (H, W, C) 用 reshape 而不是 transpose 变成 (C, H, W)",
            "the values are the same as a whole, but the channels are all alike on one side and not on the other (standard "
            "deviations {a} against {b}): the axes are mixed up, as where (H, W, C) is made (C, H, W) by reshape, not transpose",
            a=", ".join(f"{one[3]:.3g}" for one in mine),
            b=", ".join(f"{one[3]:.3g}" for one in theirs),
        ),
    )


def _channels_apart(groups: list, column: Fact) -> float:
    """The largest difference between the channels' means or standard deviations, in the column's standard deviation."""
    return max(max(one[at] for one in groups) - min(one[at] for one in groups) for at in (2, 3)) / column.std


def centred_on_itself(reference: ColumnValues, other: ColumnValues) -> bool:
    """Whether the other set has a mean of zero in every feature to within rounding: standardised by its own statistics.

    Chance leaves means of about 1/√n. The training set itself, evaluated, has them too and is left out.
    """
    mine, theirs = _groups(reference.column), _groups(other.column)
    if len(theirs) < 2 or len(mine) != len(theirs) or other.samples < 16:
        return False
    if any(not s for *_, s in theirs) or any(not s for *_, s in mine):
        return False
    centred = all(abs(mean) < 1e-5 * std and abs(std - 1) < 0.02 for _, _, mean, std in theirs)
    return centred and any(x[:2] != y[:2] for x, y in zip(mine, theirs))
