"""Figures of a run's course, drawn from its folder: loss, loss scale, gradients, learning rate, times of steps, evaluation."""

import csv
from typing import Optional

import numpy as np

from msprec.figure_style import BLUE, GREEN, GREY, ORANGE, RED, Canvas, plottable, smooth, thin
from msprec.record.reader import RunFolder
from msprec.report.strings import words


def draw_loss(run: RunFolder, rank: int, lang: str, height: float = 2.8) -> Optional[bytes]:
    """Loss a step, raw and smoothed, with a mark where it is not finite."""
    steps = run.steps(rank)
    loss = plottable(steps["loss"])
    if not np.isfinite(loss).any():
        return None
    canvas = Canvas(lang, height)
    x, say = steps["step"], words(canvas.lang)
    _loss(canvas.axes, x, loss, say)
    bad = steps.seen("loss") & ~np.isfinite(loss)
    if bad.any():
        height = np.nanmax(loss)
        canvas.axes.plot(x[bad], np.full(bad.sum(), height), "x", color=RED, markersize=6, label=say["nonfinite"])
    canvas.label(say["step"], "loss")
    canvas.legend()
    return canvas.png()


def draw_front_loss(run: RunFolder, rank: int, lang: str) -> Optional[bytes]:
    """The same, as low as the first page of a report wants it."""
    return draw_loss(run, rank, lang, height=1.75)


def _loss(axes, x: np.ndarray, loss: np.ndarray, say: dict) -> None:
    cut = thin(len(x))
    axes.plot(x[cut], loss[cut], color=GREY, linewidth=0.7, label=say["loss_raw"])
    if len(x) >= 20:
        axes.plot(x[cut], smooth(loss, max(5, len(x) // 30))[cut], color=BLUE, linewidth=1.6, label=say["loss_smooth"])


def draw_loss_scale(run: RunFolder, rank: int, lang: str) -> Optional[bytes]:
    """Loss scale a step on a logarithmic axis of base two, overflows marked, skipped updates as ticks below."""
    steps = run.steps(rank)
    scale = plottable(steps["scale"])
    good = np.isfinite(scale) & (scale > 0)
    if not good.any():
        return None
    canvas = Canvas(lang)
    x, say = steps["step"], words(canvas.lang)
    canvas.axes.step(x[good], scale[good], where="mid", color=BLUE, linewidth=1.4, label=say["scale"])
    over = good & (steps["overflow"] == 1)
    if over.any():
        canvas.axes.plot(x[over], scale[over], "x", color=RED, markersize=6, label=say["overflow"])
        if _skips(run, rank):
            below = canvas.axes.get_xaxis_transform()
            canvas.axes.plot(
                x[over],
                np.full(over.sum(), 0.02),
                "|",
                color="black",
                markersize=7,
                transform=below,
                label=say["skipped"],
            )
    canvas.axes.set_yscale("log", base=2)
    canvas.label(say["step"], say["scale"])
    canvas.legend()
    return canvas.png()


def _skips(run: RunFolder, rank: int) -> bool:
    """Whether an update that overflows is known to be dropped."""
    steps = run.facts("train_step", rank).get("steps") or []
    kinds = [step.get("loss_scale") or {} for step in steps if isinstance(step, dict)]
    return any(kind.get("drop_overflow_update") is True or kind.get("kind") == "dynamic" for kind in kinds)


def draw_gradients(run: RunFolder, rank: int, lang: str) -> Optional[bytes]:
    """Norm of all gradients on a logarithmic axis; below it, the share of their elements that float16 cannot hold."""
    samples = _gradients(run, rank)
    if len(samples) < 2:
        return None  # one sample is no course
    x = np.array(sorted(samples), dtype=float)
    norm, under, sub = (np.array([samples[step][i] for step in sorted(samples)]) for i in range(3))
    canvas = Canvas(lang, height=3.8, rows=2)
    say = words(canvas.lang)
    good = np.isfinite(norm) & (norm > 0)
    canvas.axes.plot(x[good], norm[good], "-o", color=BLUE, markersize=2.5, linewidth=1.2, label=say["gradient_norm"])
    if good.any():
        canvas.axes.set_yscale("log")
    none = np.isfinite(norm) & (norm == 0)
    if none.any():
        canvas.axes.plot(
            x[none],
            np.full(none.sum(), 0.02),
            "v",
            color=RED,
            markersize=5,
            label=say["gradient_zero"],
            transform=canvas.axes.get_xaxis_transform(),
        )
    low = canvas.all[1]
    low.plot(x, 100 * under, "-o", color=RED, markersize=2.5, linewidth=1.2, label=say["underflow"])
    low.plot(x, 100 * sub, "--s", color=ORANGE, markersize=2.5, linewidth=1.2, label=say["subnormal"])
    low.set_ylim(-2, 102)
    canvas.label(say["step"], say["gradient_norm"])
    canvas.label(say["step"], "%", 1)
    for row in (0, 1):
        canvas.legend(row)
    return canvas.png()


def _gradients(run: RunFolder, rank: int) -> dict:
    """(norm of all, share that becomes zero, share that becomes subnormal) by step; shares over the elements of all."""
    file = run.path / f"rank_{rank}" / "gradients.csv"
    sums: dict = {}
    try:
        with open(file, encoding="utf-8", errors="replace", newline="") as handle:
            for row in csv.DictReader(line.replace("\0", "") for line in handle):
                _add(sums, row)
    except (OSError, csv.Error):
        return {}
    return {step: (float(np.sqrt(s[0])), s[1] / s[3], s[2] / s[3]) for step, s in sums.items() if s[3]}


def _add(sums: dict, row: dict) -> None:
    try:
        step, size = int(row["step"]), float(row["size"])
        values = [float(row[name]) for name in ("norm", "underflow", "subnormal")]
    except (KeyError, TypeError, ValueError):  # a line that was cut off
        return
    if not size > 0 or not all(
        0 <= value < 1e150 for value in (*values, size)
    ):  # nothing that a norm or a share can be
        return
    total = sums.setdefault(step, [0.0, 0.0, 0.0, 0.0])
    for i, value in enumerate((values[0] ** 2, values[1] * size, values[2] * size, size)):
        total[i] += value


def draw_learning_rate(run: RunFolder, rank: int, lang: str) -> Optional[bytes]:
    """Learning rate a step; logarithmic where it spans more than two powers of ten."""
    steps = run.steps(rank)
    rate = plottable(steps["lr"])
    known = np.isfinite(rate)
    if not known.any():
        return None
    canvas = Canvas(lang, 2.2)
    x, cut = steps["step"][known], thin(int(known.sum()))
    canvas.axes.step(x[cut], rate[known][cut], where="mid", color=BLUE, linewidth=1.4)
    positive = rate[known][rate[known] > 0]
    if len(positive) and positive.max() > 100 * positive.min() and len(positive) == known.sum():
        canvas.axes.set_yscale("log")
    else:
        canvas.axes.set_ylim(bottom=min(0.0, float(rate[known].min())))
    canvas.label(words(canvas.lang)["step"], words(canvas.lang)["learning_rate"])
    return canvas.png()


def draw_step_time(run: RunFolder, rank: int, lang: str) -> Optional[bytes]:
    """Seconds of computing and of waiting for data a step; logarithmic, for a first step may take a thousand times as long."""
    steps = run.steps(rank)
    compute, data = plottable(steps["seconds"]), plottable(steps["data_seconds"])
    if not (compute > 0).any():
        return None
    canvas = Canvas(lang, 2.4)
    x, say = steps["step"], words(canvas.lang)
    for values, colour, dashes, name in (
        (compute, BLUE, "-", "compute_time"),
        (data, ORANGE, "--", "data_time"),
    ):
        shown = np.where(values > 0, values, np.nan)
        if np.isfinite(shown).any():
            cut = thin(len(x))
            canvas.axes.plot(x[cut], shown[cut], linewidth=1.0, label=say[name], color=colour, linestyle=dashes)
    canvas.axes.set_yscale("log")
    canvas.label(say["step"], say["seconds"])
    canvas.legend()
    return canvas.png()


def draw_validation(run: RunFolder, rank: int, lang: str) -> Optional[bytes]:
    """Training loss and evaluated losses on one axes, other metrics on a second one; the best evaluation marked."""
    curves = _evaluations(run, rank)
    if not curves:
        return None
    steps = run.steps(rank)
    loss = plottable(steps["loss"])
    losses = {name: points for name, points in curves.items() if "loss" in name.lower()}
    others = {name: points for name, points in curves.items() if name not in losses}
    upper = bool(losses) or bool(np.isfinite(loss).any())
    canvas = Canvas(lang, height=2.8 if not (upper and others) else 4.2, rows=1 + (upper and bool(others)))
    say = words(canvas.lang)
    if upper:
        if np.isfinite(loss).any():
            _loss(canvas.axes, steps["step"], loss, {"loss_raw": say["train_loss"], "loss_smooth": say["train_smooth"]})
        _metrics(canvas.axes, losses, say, lowest=True)
        canvas.label(say["step"], "loss")
        canvas.legend()
    if others:
        row = len(canvas.all) - 1
        _metrics(canvas.all[row], others, say, lowest=False)
        canvas.label(say["step"], say["metric"], row)
        canvas.legend(row)
    return canvas.png()


def _metrics(axes, curves: dict, say: dict, lowest: bool) -> None:
    looks = [(RED, "-", "o"), (GREEN, "--", "s"), (ORANGE, "-.", "^"), (BLUE, ":", "D"), ("black", "-", "v")]
    for (name, points), (colour, dashes, sign) in zip(sorted(curves.items()), looks):
        x, y = np.array(sorted(points.items())).T
        axes.plot(
            x,
            y,
            linestyle=dashes,
            marker=sign,
            markersize=3.5,
            linewidth=1.3,
            color=colour,
            label=f"{say['evaluated']} {name}",
        )
        best = int(np.argmin(y) if lowest else np.argmax(y))
        axes.plot(x[best], y[best], "*", color=colour, markersize=11, markeredgecolor="black", markeredgewidth=0.6)


def _evaluations(run: RunFolder, rank: int) -> dict:
    """{metric: {step: value}} of what was evaluated, with the data set's number where there are several."""
    entries = [e for e in run.facts("evaluation", rank).get("evaluations") or [] if isinstance(e, dict)]
    sets = {e.get("dataset") for e in entries}
    curves: dict[str, dict[float, float]] = {}
    for entry in entries:
        step, metrics = entry.get("step"), entry.get("metrics")
        if not isinstance(metrics, dict) or not isinstance(step, (int, float)):
            continue
        for name, value in metrics.items():
            if isinstance(value, (int, float)) and np.isfinite(value):
                several = f" ({entry.get('dataset')})" if len(sets) > 1 else ""
                curves.setdefault(f"{name}{several}", {})[float(step)] = float(value)
    return curves


DRAWERS = {
    "front_loss": draw_front_loss,
    "loss": draw_loss,
    "loss_scale": draw_loss_scale,
    "gradients": draw_gradients,
    "learning_rate": draw_learning_rate,
    "step_time": draw_step_time,
    "validation": draw_validation,
}
