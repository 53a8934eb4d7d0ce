"""The report's figures as PNG. Each takes what it draws and gives bytes, or None when there is nothing to draw."""

import io
from functools import lru_cache
from pathlib import Path
from typing import Optional

import numpy as np

from msprec.report.steps_table import read_steps
from msprec.report.wording import words

# Okabe and Ito's colours, told apart by the colour-blind
_BLUE, _ORANGE, _GREEN, _RED, _GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#9AA0A6"
_CJK = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "Microsoft YaHei", "SimHei", "PingFang SC",
        "Hiragino Sans GB", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Noto Serif CJK SC")  # fmt: skip
_DPI = 150


@lru_cache(maxsize=1)
def chinese_font() -> Optional[str]:
    """An installed font with Chinese, or None: then figures are labelled in English rather than with empty boxes."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _CJK if name in installed), None)


def range_test(curve, used: Optional[float], lang: str) -> Optional[bytes]:
    """The losses of a range test by learning rate, the usable range shaded and the used rate marked; None without losses.

    Args:
        curve: An `msprec.range_test.curve.Curve`.
    """
    from msprec.range_test.result import WORDS

    finite = np.isfinite(curve.losses)
    if not finite.any():
        return None
    canvas = _Canvas(lang, height=3.2)
    axes, w = canvas.axes, WORDS["zh" if canvas.font else "en"]
    axes.set_xscale("log")
    axes.plot(curve.rates[finite], curve.losses[finite], color=_GREY, linewidth=0.8, label=w["raw"])
    axes.plot(curve.rates, curve.smoothed, color=_BLUE, linewidth=1.6, label=w["smoothed"])
    if curve.lower is not None:
        end = curve.upper if curve.upper is not None else curve.high
        axes.axvspan(curve.lower, end, color=_GREEN, alpha=0.12, linewidth=0, label=w["range"])
        axes.axvline(curve.steepest, color=_GREEN, linewidth=1.0, linestyle=":", label=w["steepest"])
    if used:
        axes.axvline(used, color=_RED, linewidth=1.2, linestyle="--", label=w["used"])
    best, first = np.nanmin(curve.smoothed), curve.losses[finite][0]
    if np.isfinite(best) and best < first:
        # a divergence is many times higher than all the rest
        axes.set_ylim(best - 0.15 * (first - best), first + 1.0 * (first - best))
    canvas.label(w["rate"], w["loss"])
    canvas.legend()
    return canvas.png()


def _draw_range_test(data: dict, lang: str) -> Optional[bytes]:
    """The same from what the evidence holds; None where it is no curve."""
    from msprec.range_test.curve import Curve

    try:
        rates = [float(rate) for rate in data["rates"]]
        losses = [float(loss) for loss in data["losses"]]
        curve = Curve(rates, losses, data.get("low"), data.get("high"))
        return range_test(curve, data.get("used"), lang) if len(rates) == len(losses) > 1 else None
    except (KeyError, TypeError, ValueError):
        return None


class _Canvas:
    """One figure with one axes, without pyplot and without touching global settings."""

    def __init__(self, lang: str, height: float = 2.8) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        chinese = lang == "zh" and chinese_font() is not None
        self.words = words("zh" if chinese else "en")
        self.font = {"family": chinese_font()} if chinese else {}
        self.figure = Figure(figsize=(6.3, height), dpi=_DPI, layout="constrained")
        FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_subplot()
        self.axes.spines[["top", "right"]].set_visible(False)
        self.axes.grid(axis="y", color="#E3E5E8", linewidth=0.6)
        self.axes.set_axisbelow(True)
        self.axes.tick_params(labelsize=8)

    def label(self, x: str, y: str) -> None:
        self.axes.set_xlabel(x, fontsize=9, **self.font)
        self.axes.set_ylabel(y, fontsize=9, **self.font)

    def legend(self) -> None:
        from matplotlib.font_manager import FontProperties

        family = {"family": self.font["family"]} if self.font else {}
        self.axes.legend(frameon=False, prop=FontProperties(size=8, **family))

    def png(self) -> bytes:
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", metadata={"Software": None})
        return buffer.getvalue()


def _smooth(values: np.ndarray, window: int) -> np.ndarray:
    """Exponential average over about ``window`` steps; NaN is passed over, and nothing is drawn after the last number."""
    out, state, rate = np.full(len(values), np.nan), None, 2.0 / (window + 1)
    for i, value in enumerate(values):
        if np.isfinite(value):
            state = value if state is None else state + rate * (value - state)
        out[i] = np.nan if state is None else state
    numbers = np.flatnonzero(np.isfinite(values))
    out[numbers[-1] + 1 if len(numbers) else 0 :] = np.nan
    return out


def _thin(count: int) -> slice:
    """At most some four thousand points reach the page."""
    return slice(None, None, max(1, count // 4000))


def draw_loss(steps: dict, lang: str) -> Optional[bytes]:
    """Loss a step, raw and smoothed, with a mark where it is not finite."""
    loss = steps.get("loss")
    if loss is None or not np.isfinite(loss).any():
        return None
    canvas = _Canvas(lang)
    x, say = steps["step"], canvas.words
    cut = _thin(len(x))
    shown = np.where(np.isfinite(loss), loss, np.nan)
    canvas.axes.plot(x[cut], shown[cut], color=_GREY, linewidth=0.7, label=say["loss_raw"])
    if len(x) >= 20:
        smooth = _smooth(loss, max(5, len(x) // 30))
        canvas.axes.plot(x[cut], smooth[cut], color=_BLUE, linewidth=1.6, label=say["loss_smooth"])
    bad = ~np.isfinite(loss)
    if bad.any():
        height = np.nanmax(shown)
        canvas.axes.plot(x[bad], np.full(bad.sum(), height), "x", color=_RED, markersize=6, label=say["nonfinite"])
    canvas.label(say["step"], "loss")
    canvas.legend()
    return canvas.png()


def draw_loss_scale(steps: dict, lang: str) -> Optional[bytes]:
    """Loss scale a step on a logarithmic axis of base two, overflows marked."""
    scale = steps.get("scale")
    if scale is None or not (np.isfinite(scale) & (scale > 0)).any():
        return None
    canvas = _Canvas(lang)
    x, say = steps["step"], canvas.words
    good = np.isfinite(scale) & (scale > 0)
    canvas.axes.step(x[good], scale[good], where="mid", color=_BLUE, linewidth=1.4, label=say["scale"])
    over = good & (steps["overflow"] == 1)
    if over.any():
        canvas.axes.plot(x[over], scale[over], "x", color=_RED, markersize=6, label=say["overflow"])
    canvas.axes.set_yscale("log", base=2)
    canvas.label(say["step"], say["scale"])
    canvas.legend()
    return canvas.png()


def draw_class_counts(data: dict, lang: str) -> Optional[bytes]:
    """Samples a class; beyond forty classes the most and least frequent twenty."""
    counts = list(data.get("counts", {}).items())
    if not counts:
        return None
    if len(counts) > 40:
        ranked = sorted(counts, key=lambda kv: -kv[1])
        counts = [*ranked[:20], ("…", 0), *ranked[-20:]]
    canvas = _Canvas(lang)
    canvas.axes.bar(range(len(counts)), [c for _, c in counts], color=_BLUE, width=0.75)
    canvas.axes.set_xticks(range(len(counts)), [str(k)[:12] for k, _ in counts], fontsize=7,
                           rotation=0 if len(counts) <= 15 else 90)  # fmt: skip
    canvas.label(canvas.words["class"], canvas.words["count"])
    return canvas.png()


def draw_histogram(data: dict, lang: str) -> Optional[bytes]:
    """A histogram from its edges and counts."""
    edges, counts = np.asarray(data.get("edges", ()), float), np.asarray(data.get("counts", ()), float)
    if len(edges) < 2 or len(counts) != len(edges) - 1 or not np.isfinite(edges).all():
        return None
    canvas = _Canvas(lang, 2.4)
    canvas.axes.bar(edges[:-1], counts, width=np.diff(edges), align="edge", color=_BLUE)
    canvas.label(data.get("unit") or canvas.words["value"], canvas.words["count"])
    return canvas.png()


def draw_channels(data: dict, lang: str) -> Optional[bytes]:
    """Mean ± std and range of each channel or feature."""
    columns = [np.asarray(data.get(k, ()), float) for k in ("mean", "std", "min", "max")]
    if not len(columns[0]) or len({len(c) for c in columns}) != 1:
        return None
    mean, std, low, high = (c[:64] for c in columns)
    x = np.arange(len(mean))
    canvas = _Canvas(lang, 2.4)
    canvas.axes.vlines(x, low, high, color=_GREY, linewidth=1.2, label=canvas.words["range"])
    canvas.axes.errorbar(
        x, mean, yerr=std, fmt="o", color=_BLUE, markersize=3, linewidth=1.6, label=canvas.words["std"]
    )
    canvas.label(canvas.words["channel"], canvas.words["value"])
    canvas.legend()
    return canvas.png()


def draw(figure: str, data: dict, run_dir: Optional[Path], lang: str) -> Optional[bytes]:
    """The PNG of one figure evidence, or None when its data are not there."""
    if figure in ("loss", "loss_scale"):
        steps = read_steps(run_dir) if run_dir is not None else {}
        if not steps:
            return None
        return draw_loss(steps, lang) if figure == "loss" else draw_loss_scale(steps, lang)
    if figure == "range_test":
        return _draw_range_test(data, lang)
    drawer = {"class_counts": draw_class_counts, "histogram": draw_histogram, "channels": draw_channels}.get(figure)
    return drawer(data, lang) if drawer else None
