"""The report's figures as PNG. Each takes what it draws and gives bytes, or None when there is nothing to draw."""

from pathlib import Path
from typing import Any, Optional

import numpy as np

from msprec.compare.losses.compare import Parting
from msprec.compare.losses.plot import draw as draw_losses
from msprec.figure_style import BLUE, GREEN, GREY, ORANGE, RED, Canvas, chinese_font, plottable, smooth
from msprec.range_test.lr_curve import Curve
from msprec.range_test.plot import draw_curve
from msprec.report.label_sheet_figure import draw_label_sheet
from msprec.report.run_figures import DRAWERS
from msprec.report.strings import words


def _draw_range_test(data: dict, lang: str) -> Optional[bytes]:
    """The same from what the evidence holds; None where it is no curve."""
    try:
        rates = [float(rate) for rate in data["rates"]]
        losses = [float(loss) for loss in data["losses"]]
        curve = Curve(rates, losses, data.get("low"), data.get("high"))
        return draw_curve(curve, data.get("used"), lang) if len(rates) == len(losses) > 1 else None
    except (KeyError, TypeError, ValueError):
        return None


def draw_class_counts(data: dict, lang: str) -> Optional[bytes]:
    """Samples a class; beyond forty classes the most and least frequent twenty."""
    counts = list(data.get("counts", {}).items())
    if not counts:
        return None
    if len(counts) > 40:
        ranked = sorted(counts, key=lambda kv: -kv[1])
        counts = [*ranked[:20], ("…", 0), *ranked[-20:]]
    canvas = Canvas(lang)
    canvas.axes.bar(range(len(counts)), [c for _, c in counts], color=BLUE, width=0.75)
    canvas.axes.set_xticks(
        range(len(counts)), [str(k)[:12] for k, _ in counts], fontsize=7, rotation=0 if len(counts) <= 15 else 90
    )
    canvas.label(words(canvas.lang)["class"], words(canvas.lang)["count"])
    return canvas.png()


def _filled(edges: np.ndarray, counts: np.ndarray) -> tuple:
    """Without the empty bins at both ends."""
    held = np.flatnonzero(counts)
    return (edges[held[0] : held[-1] + 2], counts[held[0] : held[-1] + 1]) if held.size else (edges, counts)


def draw_histogram(data: dict, lang: str) -> Optional[bytes]:
    """A histogram from its edges and counts."""
    edges, counts = np.asarray(data.get("edges", ()), float), np.asarray(data.get("counts", ()), float)
    if len(edges) < 2 or len(counts) != len(edges) - 1 or not np.isfinite(edges).all():
        return None
    edges, counts = _filled(edges, counts)
    canvas = Canvas(lang, 2.4)
    canvas.axes.bar(edges[:-1], counts, width=np.diff(edges), align="edge", color=BLUE)
    canvas.label(data.get("unit") or words(canvas.lang)["value"], words(canvas.lang)["values"])
    return canvas.png()


def draw_channels(data: dict, lang: str) -> Optional[bytes]:
    """Mean ± std and range of each channel or feature."""
    columns = [np.asarray(data.get(k, ()), float) for k in ("mean", "std", "min", "max")]
    if not len(columns[0]) or len({len(c) for c in columns}) != 1:
        return None
    mean, std, low, high = (c[:64] for c in columns)
    x = np.arange(len(mean))
    canvas = Canvas(lang, 2.4)
    canvas.axes.vlines(x, low, high, color=GREY, linewidth=1.2, label=words(canvas.lang)["range"])
    canvas.axes.errorbar(
        x, mean, yerr=std, fmt="o", color=BLUE, markersize=3, linewidth=1.6, label=words(canvas.lang)["std"]
    )
    canvas.axes.locator_params("x", integer=True)
    canvas.label(words(canvas.lang)["channel"], words(canvas.lang)["value"])
    canvas.legend()
    return canvas.png()


def draw_histograms(data: dict, lang: str) -> Optional[bytes]:
    """Histograms side by side, one a channel or column, each scaled to its own height.

    ``{"histograms": [{"name": …, "edges": […], "counts": […]}], "unit": …}``; at most twelve are drawn.
    """
    shown = []
    for entry in (data.get("histograms") or [])[:12]:
        edges, counts = np.asarray(entry.get("edges", ()), float), np.asarray(entry.get("counts", ()), float)
        if len(edges) >= 2 and len(counts) == len(edges) - 1 and np.isfinite(edges).all():
            shown.append((str(entry.get("name", "")), *_filled(edges, counts)))
    if not shown:
        return None
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    canvas = Canvas(lang, 0.6 + 1.5 * rows)
    canvas.axes.remove()
    for position, (name, edges, counts) in enumerate(shown):
        axes = canvas.figure.add_subplot(rows, columns, position + 1)
        axes.bar(edges[:-1], counts, width=np.diff(edges), align="edge", color=BLUE)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7)
        axes.set_title(name[:24].replace("$", r"\$"), fontsize=8, pad=3, **canvas.font)
    canvas.figure.supxlabel(data.get("unit") or words(canvas.lang)["value"], fontsize=9, **canvas.font)
    canvas.figure.supylabel(words(canvas.lang)["values"], fontsize=9, **canvas.font)
    return canvas.png()


def _position(steps: np.ndarray, step: Any) -> Optional[int]:
    """Where a step stands among the steps; None where it does not."""
    at = np.flatnonzero(steps == step) if step is not None else steps[:0]
    return int(at[0]) if len(at) else None


def draw_losses_beside(data: dict, lang: str) -> Optional[bytes]:
    """The losses of a run and of its reference run, and their difference; None where there are none."""
    names = ("steps", "reference", "run", "relative", "band")
    columns = [np.asarray([float(value) for value in data.get(name) or ()], float) for name in names]
    steps = columns[0]
    if len(steps) < 2 or len({len(column) for column in columns}) != 1 or not np.isfinite(steps).all():
        return None
    differs, parts = _position(steps, data.get("differs")), _position(steps, data.get("parts"))
    a, b, relative, band = columns[1], columns[2], columns[3], columns[4]
    found = Parting(steps, a, b, relative, band, "", differs, parts, None, False, 0, ())
    say = words("zh" if lang == "zh" and chinese_font() else "en")
    name = str((data.get("names") or [""])[0])[:60]
    return draw_losses(found, (f"{say['reference']} ({name})", say["this_run"]), lang)


def draw_losses_of_experiments(data: dict, lang: str) -> Optional[bytes]:
    """Training losses by step, a line for each of ``curves`` (name, steps, losses); the first, the baseline, is grey."""
    canvas = Canvas(lang)
    looks = [(GREY, "-"), (RED, "-"), (BLUE, "--"), (ORANGE, "--"), (GREEN, "--")]
    for curve, (colour, dashes) in zip(data.get("curves") or [], looks):
        losses = plottable([np.nan if value is None else value for value in curve["losses"]])
        line = canvas.axes.plot(curve["steps"], smooth(losses, 8), color=colour, linestyle=dashes, linewidth=1.2)
        line[0].set_label(curve["name"][canvas.lang])
    if not canvas.axes.lines:
        return None
    canvas.label("训练步" if canvas.lang == "zh" else "training step", "loss")
    canvas.legend()
    return canvas.png()


_OF_DATA = {
    "class_counts": draw_class_counts,
    "histogram": draw_histogram,
    "histograms": draw_histograms,
    "losses_beside": draw_losses_beside,
    "losses_of_experiments": draw_losses_of_experiments,
    "channels": draw_channels,
    "range_test": _draw_range_test,
}


def draw(figure: str, data: dict, run_dir: Optional[Path], lang: str) -> Optional[bytes]:
    """The PNG of one figure evidence, or None when its data are not there.

    ``data["rank"]`` names the rank whose course is drawn; default: 0.
    """
    from msprec.record.reader import RunFolder, RunFolderError

    if figure in DRAWERS:
        try:
            return (
                DRAWERS[figure](RunFolder(run_dir), int(data.get("rank") or 0), lang) if run_dir is not None else None
            )
        except RunFolderError:
            return None
    if figure == "label_sheet":
        return draw_label_sheet(data, run_dir, lang)
    return _OF_DATA[figure](data, lang) if figure in _OF_DATA else None
