"""Which repeated extreme values stand for "missing": the judgement on the recorder's suspects (ds.01)."""

import ast
from typing import Optional

from msprec.checklists.common.data.one_quantity import is_apart, is_one_quantity
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import plain_number

#: Calls that bring values into bounds.
_CLIPS = {"clip", "clamp", "clip_by_value", "minimum", "maximum"}

# values that people customarily write where a number is missing; round ones far from any scale
CODES = {
    sign * value for value in (99.0, 999.0, 9999.0, 99999.0, 999999.0, 99999999.0, 888.0, 8888.0) for sign in (1, -1)
}
CODES |= {
    -99.9,
    -999.9,
    -9999.9,
    -999.25,
    -32768.0,
    -2147483648.0,
    2147483647.0,
    1e10,
    1e20,
    -1e20,
    1e30,
    -1e30,
    9.96921e36,
}
CODES |= {3.4028234663852886e38, -3.4028234663852886e38, 1.7976931348623157e308, -1.7976931348623157e308}


def missing_marks(run_data: RunData, dataset: Fact, column: Fact) -> list:
    """The suspects of a column that are missing-value marks."""
    passes = passes_of(dataset)
    marks = [suspect for suspect in column.suspects if is_mark(run_data, suspect, passes)]
    if dataset.samples_per_pass is None:
        marks = [mark for mark in marks if not _drawn_again(run_data, mark)]
    if column.name == dataset.label.column and learns_by_rewards(run_data):
        marks = [
            mark for mark in marks if is_code(mark.value)
        ]  # a reward at the end of an episode is a value of its own
    marks = [mark for mark in marks if is_code(mark.value) or not _clipped_to(run_data, column, mark.value)]
    return _not_saturated(run_data, column, marks)


def _clipped_to(run_data: RunData, column: Fact, value: float) -> bool:
    """Whether the value is the least or the greatest of the whole column, and the code clips to it."""
    if value not in (column.min, column.max):
        return False
    code = run_data.source
    given = (
        part
        for file in code.trees
        for call in code.calls_named(file, _CLIPS)
        for one in (*call.args, *(word.value for word in call.keywords))
        for part in (one.elts if isinstance(one, ast.Tuple) else [one])
    )
    return any(_written(one) == value for one in given)


def _written(node: ast.AST) -> Optional[float]:
    minus = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    number = plain_number(node.operand if minus else node)  # type: ignore[attr-defined]
    return -number if minus and number is not None else number


def _drawn_again(run_data: RunData, suspect: Fact) -> bool:
    """Whether a value comes hardly oftener than another one does on average: of batches that are drawn at random without an end,
    one sample comes again and again."""
    share, distinct = suspect.share, suspect.others_distinct
    if is_code(suspect.value) or not share or not distinct:
        return False
    return share * distinct / (1 - share) < run_data.limit("ds.01.drawn")


def _not_saturated(run_data: RunData, column: Fact, marks: list) -> list:
    """Without the values that belong to the range of the one quantity that all features measure (255 of a pixel)."""
    if not marks or not is_one_quantity(run_data, column):
        return marks
    # a customary code stays one unless other features are seen to hold values next to it
    return [mark for mark in marks if _stands_apart(column, mark.value)]


def _stands_apart(column: Fact, value: float) -> bool:
    apart = is_apart(column, value)
    return is_code(value) if apart is None else apart


def passes_of(dataset: Fact) -> float:
    """Passes that the counts of the columns stand for."""
    seen, size = dataset.scanned.samples or 0, dataset.samples_per_pass
    return max(1.0, seen / size if size else 1.0)


def is_mark(run_data: RunData, suspect: Fact, passes: float = 1.0) -> bool:
    """Repeated and far from the rest: a customary code, -1 below a non-negative column, a rare zero, any constant."""
    value, share = suspect.value, suspect.share
    if value is None or share is None or suspect.nearest_other is None:
        return False
    if (suspect.count or 0) / passes < run_data.limit("ds.01.count") or share < run_data.limit("ds.01.share"):
        return False
    distance = _distance(suspect)
    many = suspect.others_distinct is not None and suspect.others_distinct >= run_data.limit("ds.01.distinct")
    if is_code(value):
        several = suspect.others_distinct is None or suspect.others_distinct >= 3
        return several and distance >= _code_gap(run_data, value)
    if value == 0:
        return many and share <= run_data.limit("ds.01.zero_share") and distance >= run_data.limit("ds.01.zero_gap")
    if value == -1:
        return many and _minus_one(run_data, suspect, share)
    return many and share <= run_data.limit("ds.01.most") and distance >= run_data.limit("ds.01.gap")


def doubtful_marks(run_data: RunData, dataset: Fact, column: Fact) -> list:
    """Suspects that may stand for "missing" and may not: rare, apart from the rest, and far more frequent than any other value.

    So looks -1 among ages, also after a standardisation; a clipped value has neighbours close by. Only the training set
    has samples enough to tell.
    """
    if dataset.role != "train":
        return []
    known = missing_marks(run_data, dataset, column)
    passes = passes_of(dataset)
    rest = [suspect for suspect in column.suspects if suspect not in known]
    return _not_saturated(run_data, column, [suspect for suspect in rest if _is_doubtful(run_data, suspect, passes)])


def _is_doubtful(run_data: RunData, suspect: Fact, passes: float) -> bool:
    share, distinct, limit = suspect.share, suspect.others_distinct, run_data.limit
    if not share or not distinct or suspect.nearest_other is None or distinct < limit("ds.01.doubtful_distinct"):
        return False
    if (suspect.count or 0) < limit("ds.01.doubtful_count") * passes:
        return False
    if not max(limit("ds.01.doubtful_least"), limit("ds.01.share")) <= share <= limit("ds.01.doubtful_share"):
        return False
    frequent = share * distinct / (1 - share)  # beside the usual count of another value
    apart = _distance(suspect)
    often, gap = limit("ds.01.doubtful_frequent"), limit("ds.01.doubtful_gap")
    return frequent >= often and apart >= gap and apart * distinct >= limit("ds.01.doubtful_steps")


def is_code(value: float) -> bool:
    return any(value == code or (abs(code) > 1e3 and abs(value - code) <= 1e-6 * abs(code)) for code in CODES)


def _code_gap(run_data: RunData, value: float) -> float:
    """How far off a code must lie: 99 may well be an ordinary number, 999 hardly."""
    return run_data.limit("ds.01.code_gap") * (2 if abs(value) < 100 else 1)


def _minus_one(run_data: RunData, suspect: Fact, share: float) -> bool:
    """-1 where all else is zero or more. In data scaled to [-1, 1] a majority of -1 is the background of a picture."""
    if suspect.others_low is None or suspect.others_low < 0:
        return False
    scaled = suspect.others_high is not None and suspect.others_high <= 1
    return not scaled or share <= run_data.limit("ds.01.minus_one_share")


def _distance(suspect: Fact) -> float:
    """How far the value lies from its nearest neighbour, in widths of the rest."""
    gap = abs(suspect.value - suspect.nearest_other)
    if suspect.others_low is None or suspect.others_high is None:
        return 0.0
    width = suspect.others_high - suspect.others_low
    return gap / width if width > 0 else float("inf")


def codes_among_integers(run_data: RunData, column: Fact) -> list:
    """Customary codes in an integer column of one value a sample: (value, count, share) with all else far away."""
    numbers = sorted((float(key), count) for key, count in column.values.items() if _is_number(key))
    total = sum(count for _, count in numbers)
    found = []
    for value, count in numbers:
        if not is_code(value) or count < run_data.limit("ds.01.count"):
            continue
        rest = [other for other, _ in numbers if other != value and not is_code(other)]
        if len(rest) < 3:
            continue
        width, gap = max(rest) - min(rest), min(abs(value - other) for other in rest)
        if count / total >= run_data.limit("ds.01.share") and gap >= _code_gap(run_data, value) * width:
            found.append((value, count, count / total))
    return found


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < 1e300
    except ValueError:
        return False
