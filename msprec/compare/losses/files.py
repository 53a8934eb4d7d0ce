"""Losses by step out of run folders, CSV files, TensorBoard events and plain logs. Needs NumPy only."""

import csv
import re
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from msprec.compare.errors import CannotRead
from msprec.compare.losses.tensorboard_events import is_event_file, read_scalars

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?)(?![\w.])"
#: What MindSpore's LossMonitor prints: the step is that in the epoch.
_LOSS_MONITOR = re.compile(rf"epoch:\s*(?P<epoch>\d+)\s+step:\s*(?P<step>\d+),\s*loss is\s*(?P<loss>{_NUMBER})", re.I)
_LOSS = re.compile(rf"(?<![a-z])loss['\"]?(?:\s+is)?(?:\s|[:=\]])+[\[(]?\s*(?P<loss>{_NUMBER})", re.I)
_STEP = re.compile(
    r"(?<![a-z])(?:global[_ ]step|step|iteration|iter|batch)['\"]?(?:\s*[:=])?\s*\[?\s*(?P<step>\d+)(?:\s*/\s*(?P<of>\d+))?",
    re.I,
)
_NOT_TRAINING = re.compile(r"(?<![a-z])(?:eval|evaluation|valid|validation|val|test)(?![a-z])", re.I)
_EPOCH = re.compile(r"(?<![a-z])epoch(?:\s*[:=])?\s*\[?\s*(?P<epoch>\d+)", re.I)
_LONGEST_LINE = 4000
_STEP_NAMES = ("step", "global_step", "iteration", "iter", "cur_step")
_LOSS_NAMES = ("loss", "train_loss", "training_loss", "train/loss", "loss/train", "value")


class Losses(NamedTuple):
    """A course of the loss.

    Attributes:
        name: What was read, for tables.
        steps: (n,) int64, rising.
        values: (n,) float64, NaN and infinity included.
        rounding: (n,) float64: half a unit of the last digit that the source holds; 0 where it holds the number itself.
        numbered: Whether the source gives the steps; else they are the order of its lines.
        notes: Codes of what had to be assumed (see `msprec.compare.losses.losses_text`).
    """

    name: str
    steps: np.ndarray
    values: np.ndarray
    rounding: np.ndarray
    numbered: bool
    notes: tuple = ()


class HowToRead(NamedTuple):
    """What the user says of the files: a pattern for logs, a column of a CSV, a tag of events, steps an epoch."""

    pattern: Optional[str] = None
    column: Optional[str] = None
    tag: Optional[str] = None
    steps_per_epoch: Optional[int] = None


class _Row(NamedTuple):
    step: Optional[int]
    epoch: Optional[int]
    text: str
    of: Optional[int] = None


def read_losses(path, how: Optional[HowToRead] = None) -> Losses:
    """Reads what ``path`` is: a run folder, a folder with event files, an event file, a CSV file, a log.

    Raises:
        CannotRead: It cannot be read, or there is no loss in it.
    """
    path, how = Path(path), how or HowToRead()
    try:
        if path.is_dir():
            return _of_folder(path, how)
        if is_event_file(path):
            return _of_events([path], path.name, how)
        text = _text(path)
    except OSError as error:
        raise CannotRead(f"{path}: {error.strerror or error}") from None
    rows = None
    if how.pattern is None and path.suffix.lower() in (".csv", ".tsv"):
        rows = _csv_rows(text, path, how)
    return _of_rows(rows if rows is not None else _log_rows(text, path, how), path, how)


def _text(path: Path) -> str:
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # what PowerShell's > writes
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def _of_folder(path: Path, how: HowToRead) -> Losses:
    if (path / "run.json").is_file() or any(path.glob("rank_*/steps.csv")):
        return _of_run(path)
    events = sorted(p for p in path.rglob("*.tfevents.*") if p.is_file())
    if events:
        return _of_events(events, path.name, how)
    raise CannotRead(f"{path}: neither a run folder nor a folder with TensorBoard events")


def _of_run(path: Path) -> Losses:
    from msprec.record.reader import RunFolder, RunFolderError

    try:
        folder = RunFolder(path)
    except RunFolderError as error:
        raise CannotRead(str(error)) from None
    steps = folder.steps(0)
    seen = steps.seen("loss") if len(steps) else np.zeros(0, bool)
    if not seen.any():
        raise CannotRead(f"{path}: the run folder holds no loss")
    return _sorted(path.name, steps["step"][seen], steps["loss"][seen], np.zeros(int(seen.sum())), True)


def _of_events(files: list, name: str, how: HowToRead) -> Losses:
    scalars = {}
    for file in files:
        for tag, points in read_scalars(file).items():
            scalars.setdefault(tag, []).extend(points)
    tag = _chosen_tag(scalars, name, how)
    points = scalars[tag]
    # events hold float32: the numbers themselves, as far as a loss in float32 goes
    return _sorted(name, [p[0] for p in points], [p[1] for p in points], np.zeros(len(points)), True)


def _chosen_tag(scalars: dict, name: str, how: HowToRead) -> str:
    if how.tag is not None:
        if how.tag not in scalars:
            raise CannotRead(f"{name}: no scalar {how.tag}; there are: {_few(scalars)}")
        return how.tag
    exact = [tag for wanted in _LOSS_NAMES[:-1] for tag in scalars if tag.lower() == wanted]
    like = exact[:1] or [tag for tag in scalars if "loss" in tag.lower() and "scale" not in tag.lower()]
    if len(like) != 1:
        raise CannotRead(f"{name}: which scalar is the loss? name it with --tag; there are: {_few(scalars)}")
    return like[0]


def _few(names) -> str:
    names = sorted(names)
    return ", ".join(names[:12]) + (", …" if len(names) > 12 else "") if names else "none"


def _csv_rows(text: str, path: Path, how: HowToRead) -> Optional[list]:
    """The rows of a table with a header; None when the file is none."""
    lines = text.replace("\0", "").splitlines()
    if not lines:
        raise CannotRead(f"{path}: the file is empty")
    delimiter = max(",;\t", key=lines[0].count)
    try:
        table = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error as error:
        raise CannotRead(f"{path}: {error}") from None
    head = [cell.strip() for cell in table[0]]
    lower = [cell.lower() for cell in head]
    if how.column is not None:
        if how.column not in head:
            raise CannotRead(f"{path}: no column {how.column}; there are: {_few(head)}")
        at = head.index(how.column)
    else:
        at = next((lower.index(name) for name in _LOSS_NAMES if name in lower), None)
        if at is None:
            at = next((i for i, name in enumerate(lower) if "loss" in name), None)
        if at is None:
            return None
    step = next((lower.index(name) for name in _STEP_NAMES if name in lower), None)
    if not text.endswith(("\n", "\r")) and _cut_off(table[1:], at, len(head)):
        table.pop()
    return [
        _Row(_whole(row[step]) if step is not None and step < len(row) else None, None, row[at].strip())
        for row in table[1:]
        if at < len(row) and _is_number(row[at])
    ]


def _cut_off(rows: list, at: int, width: int) -> bool:
    """Whether a last line without its end was cut in the middle: cells are missing, or the loss is shorter than any other."""
    if len(rows) < 2:
        return bool(rows) and len(rows[0]) < width
    last, others = rows[-1], [len(row[at]) for row in rows[:-1] if at < len(row)]
    ends_with_loss = at == width - 1 and at < len(last)
    return len(last) < width or (ends_with_loss and bool(others) and len(last[at]) < min(others))


def _whole(text: str) -> Optional[int]:
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _log_rows(text: str, path: Path, how: HowToRead) -> list:
    lines = [line[:_LONGEST_LINE] for line in text.splitlines()]
    if how.pattern is not None:
        return [row for line in lines if (row := _by_pattern(_compiled(how.pattern), line)) is not None]
    rows = [_Row(int(m["step"]), int(m["epoch"]), m["loss"]) for line in lines if (m := _LOSS_MONITOR.search(line))]
    if rows:
        return rows
    rows = [row for line in lines if (row := _generic(line)) is not None]
    if not rows and all(_is_number(line) for line in lines if line.strip()):
        rows = [_Row(None, None, line.strip()) for line in lines if line.strip()]
    return rows


def _compiled(pattern: str) -> re.Pattern:
    try:
        made = re.compile(pattern)
    except re.error as error:
        raise CannotRead(f"--pattern is no regular expression: {error}") from None
    if "loss" not in made.groupindex and made.groups != 1:
        raise CannotRead(
            "--pattern needs one group, or one named loss: (?P<loss>…); it may have (?P<step>…), (?P<epoch>…)"
        )
    return made


def _by_pattern(pattern: re.Pattern, line: str) -> Optional[_Row]:
    match = pattern.search(line)
    if match is None:
        return None
    groups = match.groupdict()
    text = groups["loss"] if "loss" in groups else match.group(1)
    if text is None or not _is_number(text):
        return None
    return _Row(_whole(groups.get("step") or ""), _whole(groups.get("epoch") or ""), text)


def _generic(line: str) -> Optional[_Row]:
    loss = _LOSS.search(line)
    if loss is None or _NOT_TRAINING.search(line, 0, loss.start()):
        return None
    step, epoch = _STEP.search(line), _EPOCH.search(line)
    if epoch is not None and step is None:
        return None  # the mean over an epoch
    return _Row(
        int(step["step"]) if step else None,
        int(epoch["epoch"]) if epoch else None,
        loss["loss"],
        int(step["of"]) if step and step["of"] else None,
    )


def _of_rows(rows: list, path: Path, how: HowToRead) -> Losses:
    if not rows:
        raise CannotRead(f"{path}: no loss found; name it with --pattern '…(?P<step>…)…(?P<loss>…)' or --column")
    values = np.array([float(row.text) for row in rows])
    rounding = _rounding([row.text for row in rows])
    if any(row.step is None for row in rows):
        return Losses(path.name, np.arange(1, len(rows) + 1), values, rounding, False, ("unnumbered",))
    steps, notes = _global_steps(rows, how)
    return _sorted(path.name, steps, values, rounding, True, notes)


def _global_steps(rows: list, how: HowToRead) -> tuple:
    """Steps counted over the epochs, where a source counts them anew in each."""
    steps = np.array([row.step for row in rows])
    if any(row.epoch is None for row in rows):
        return steps, ()
    epochs = np.array([row.epoch for row in rows])
    restarts = any(steps[i] <= steps[i - 1] for i in range(1, len(rows)) if epochs[i] > epochs[i - 1])
    if not restarts:
        return steps, ()
    told = how.steps_per_epoch or max((row.of for row in rows if row.of), default=None)
    longest = int(told or steps.max() + (1 if steps.min() == 0 else 0))
    first = epochs[0] if epochs[0] in (0, 1) else 1
    notes = () if told or np.diff(np.unique(steps)).max(initial=1) == 1 else (f"epoch_of:{longest}",)
    return (epochs - first) * longest + steps, notes


def _rounding(texts: list) -> np.ndarray:
    """Half a unit of the last digit. One format wrote the file, so the longest number shows how many digits it has:
    0.25 among 0.2513672 is a quarter, among 0.31 and 0.22 it is anything from 0.245 to 0.255."""
    parts = [re.fullmatch(r"[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?", text.strip()) for text in texts]
    finite = [(len(m[1]), int(m[2]) if m[2] else None) for m in parts if m]
    if not finite:
        return np.zeros(len(texts))
    if all(exponent is not None for _, exponent in finite):
        digits = max(count for count, _ in finite)
        return np.array([0.5 * 10.0 ** (min(int(m[2]), 300) - digits) if m else 0.0 for m in parts])
    digits = max(count - (exponent or 0) for count, exponent in finite)
    return np.full(len(texts), 0.5 * 10.0 ** -max(digits, 0))


def _sorted(name: str, steps, values, rounding, numbered: bool, notes: tuple = ()) -> Losses:
    """Steps in rising order; of a step that was run again after a resumption the later row counts."""
    last = {}
    steps = np.asarray(steps, dtype=np.float64)
    for at, step in enumerate(steps):
        if np.isfinite(step):
            last[int(step)] = at
    order = np.array([last[step] for step in sorted(last)], dtype=int)
    return Losses(
        name,
        np.array(sorted(last), dtype=np.int64),
        np.asarray(values, dtype=np.float64)[order],
        np.asarray(rounding, dtype=np.float64)[order],
        numbered,
        tuple(notes),
    )
