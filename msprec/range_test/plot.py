"""The curve of a range test as one PNG."""

from typing import Optional

import numpy as np

from msprec.figure_style import BLUE, GREEN, GREY, RED, Canvas
from msprec.range_test.lr_curve import Curve
from msprec.range_test.strings import WORDS


def draw_curve(curve: Curve, used: Optional[float], lang: str) -> Optional[bytes]:
    """The losses of a range test by learning rate, the usable range shaded and the used rate marked; None without losses."""
    finite = np.isfinite(curve.losses)
    if not finite.any():
        return None
    canvas = Canvas(lang, height=3.2)
    axes, w = canvas.axes, WORDS[canvas.lang]
    axes.set_xscale("log")
    axes.plot(curve.rates[finite], curve.losses[finite], color=GREY, linewidth=0.8, label=w["raw"])
    axes.plot(curve.rates, curve.smoothed, color=BLUE, linewidth=1.6, label=w["smoothed"])
    if curve.lower is not None:
        end = curve.upper if curve.upper is not None else curve.high
        axes.axvspan(curve.lower, end, color=GREEN, alpha=0.12, linewidth=0, label=w["range"])
        axes.axvline(curve.steepest, color=GREEN, linewidth=1.0, linestyle=":", label=w["steepest"])
    if used:
        axes.axvline(used, color=RED, linewidth=1.2, linestyle="--", label=w["used"])
    best, first = np.nanmin(curve.smoothed), curve.losses[finite][0]
    if np.isfinite(best) and best < first:
        # a divergence is many times higher than all the rest
        axes.set_ylim(best - 0.15 * (first - best), first + 1.0 * (first - best))
    canvas.label(w["rate"], w["loss"])
    canvas.legend()
    return canvas.png()
