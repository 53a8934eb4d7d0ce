"""The one look of all figures: size, fonts, colours that the colour-blind tell apart, and lines that differ in print too."""

import io
import re
from functools import lru_cache
from typing import Any, Optional

import numpy as np

# Okabe and Ito's colours, told apart by the colour-blind; in grey they differ in lightness, and every line in its dashes
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#9AA0A6"
_CJK = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "Microsoft YaHei",
    "SimHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Noto Serif CJK SC",
    "Noto Serif CJK JP",
)
_CJK_FILE = re.compile(r"(?i)CJK.*Regular|SourceHanSans|msyh|simhei|PingFang|wqy")
_DPI = 150


@lru_cache(maxsize=1)
def chinese_font() -> Optional[str]:
    """An installed font with Chinese, or None: then figures are labelled in English rather than with empty boxes."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _CJK if name in installed), None) or _added_font(font_manager)


def _added_font(font_manager) -> Optional[str]:
    """A font that was installed after matplotlib had made its list of fonts."""
    files = sorted(path for path in font_manager.findSystemFonts() if _CJK_FILE.search(path))
    for path in files:
        try:
            font_manager.fontManager.addfont(path)
        except (OSError, RuntimeError):  # a kind of file that matplotlib does not read
            continue
        return font_manager.fontManager.ttflist[-1].name
    return None


class Canvas:
    """One figure with one axes or several below each other, without pyplot and without touching global settings.

    Args:
        lang: ``zh`` or ``en``.
        height: In inches; the width is that of a page.
        rows: Axes, which share their x axis.
    """

    def __init__(self, lang: str, height: float = 2.8, rows: int = 1) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        chinese = lang == "zh" and chinese_font() is not None
        #: In which language the figure is labelled: Chinese only where a font has it
        self.lang = "zh" if chinese else "en"
        # the figure's own numbers and Latin letters stay in the usual font; Chinese falls through to the next one
        self.font: dict[str, Any] = {"family": [chinese_font(), "DejaVu Sans"]} if chinese else {}
        self.figure = Figure(figsize=(6.3, height), dpi=_DPI, layout="constrained")
        FigureCanvasAgg(self.figure)
        self.all = [self.figure.add_subplot(rows, 1, 1)]
        self.all += [self.figure.add_subplot(rows, 1, row + 1, sharex=self.all[0]) for row in range(1, rows)]
        self.axes = self.all[0]
        for axes in self.all:
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis="y", color="#E3E5E8", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(labelsize=8)
        for axes in self.all[:-1]:
            axes.tick_params(labelbottom=False)

    def label(self, x: str, y: str, row: int = 0) -> None:
        """Names the x axis, which the lowest axes bears, and the y axis of a row."""
        self.all[-1].set_xlabel(x, fontsize=9, **self.font)
        self.all[row].set_ylabel(y, fontsize=9, **self.font)

    def legend(self, row: int = 0, **where) -> None:
        from matplotlib.font_manager import FontProperties

        if self.all[row].get_legend_handles_labels()[0]:
            self.all[row].legend(frameon=False, prop=FontProperties(size=8, **self.font), **where)

    def png(self) -> bytes:
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", metadata={"Software": None})
        return buffer.getvalue()


def smooth(values: np.ndarray, window: int) -> np.ndarray:
    """Exponential average over about ``window`` steps; NaN is passed over, and nothing is drawn after the last number."""
    out, state, rate = np.full(len(values), np.nan), None, 2.0 / (window + 1)
    for i, value in enumerate(values):
        if np.isfinite(value):
            state = value if state is None else state + rate * (value - state)
        out[i] = np.nan if state is None else state
    numbers = np.flatnonzero(np.isfinite(values))
    out[numbers[-1] + 1 if len(numbers) else 0 :] = np.nan
    return out


def thin(count: int) -> slice:
    """At most some four thousand points reach the page."""
    return slice(None, None, max(1, count // 4000))


def plottable(values) -> np.ndarray:
    """The values as floats, NaN where they are not finite or too large for an axis."""
    values = np.asarray(values, dtype=float)
    return np.where(np.abs(values) < 1e300, values, np.nan)
