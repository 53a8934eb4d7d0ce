"""Two loss curves and their difference, as one PNG."""

import io

import numpy as np

from msprec.compare.losses.compare import Parting
from msprec.compare.losses.losses_text import LABELS
from msprec.figure_style import BLUE, GREY, ORANGE, RED, chinese_font

_POINTS = 4000


def draw(found: Parting, names: tuple, lang: str) -> bytes:
    """The losses above, the relative difference below on a logarithmic axis, marks where they differ and part; a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

    family = chinese_font() if lang == "zh" else None
    font = {"family": family} if family else {}
    say = LABELS["zh" if family else "en"]
    figure = Figure(figsize=(6.3, 4.4), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    cut = slice(None, None, max(1, len(found.steps) // _POINTS))
    marker = "." if len(found.steps) < 60 else None
    above.plot(found.steps[cut], _finite(found.a)[cut], color=BLUE, linewidth=1.2, marker=marker, label=names[0])
    above.plot(found.steps[cut], _finite(found.b)[cut], color=ORANGE, linewidth=1.0, marker=marker, label=names[1])
    least = max(float(found.band.min()) * 1e-2, 1e-12)
    relative = np.clip(_finite(found.relative), least, None)
    below.plot(found.steps[cut], relative[cut], color=GREY, linewidth=0.9, marker=marker)
    below.plot(found.steps[cut], found.band[cut], color=GREY, linewidth=0.9, linestyle=":", label=say["band"])
    below.set_yscale("log")
    for at, colour, style, label in ((found.differs, GREY, "--", "differs"), (found.parts, RED, "-", "parts")):
        if at is not None:
            for axes in (above, below):
                axes.axvline(
                    found.steps[at],
                    color=colour,
                    linestyle=style,
                    linewidth=1.0,
                    label=f"{say[label]}: {int(found.steps[at])}" if axes is below else None,
                )
    for axes, text in ((above, say["loss"]), (below, say["difference"])):
        axes.set_ylabel(text, fontsize=9, **font)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
        axes.legend(frameon=False, prop=FontProperties(size=8, **font))
    below.set_xlabel(say["step"], fontsize=9, **font)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)
