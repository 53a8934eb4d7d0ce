"""What a range test leaves: files, and a table for the terminal."""

import json
from pathlib import Path
from typing import Optional

from msprec.range_test.lr_curve import Curve
from msprec.range_test.plot import draw_curve
from msprec.range_test.strings import WORDS
from msprec.record.writer import plain


def write(folder: Path, curve: Curve, used: Optional[float], lang: str) -> None:
    """Writes ``curve.csv``, ``curve.json`` and ``curve.png`` into ``folder``.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "curve.csv").write_text(curve.csv(), encoding="utf-8")
    text = json.dumps(plain({**curve.facts(), "used": used}), indent=1, allow_nan=False)
    (folder / "curve.json").write_text(text + "\n", encoding="utf-8")
    picture = draw_curve(curve, used, lang)
    if picture is not None:
        (folder / "curve.png").write_bytes(picture)


def rows(curve: Curve, used: Optional[float], overflows: int, lang: str) -> list:
    """``(what, value)`` of the table."""
    w = WORDS[lang]
    judged = curve.judge(used) if used is not None else None
    verdict = f"  {w[judged.verdict]}" if judged is not None and judged.verdict != "unknown" else ""
    known = curve.unavailable_reason is None
    table = [
        (w["used"], _rate(used, w["unknown"]) + verdict),
        (w["lower"], _rate(curve.lower, w["unknown"])),
        (w["steepest"], _rate(curve.steepest, w["unknown"])),
        (w["upper"], _rate(curve.upper, w["none"] if known else w["unknown"])),
        (w["diverged"], _rate(curve.diverged, w["none"])),
        (w["steps"], str(len(curve.rates))),
    ]
    return [*table, (w["overflows"], str(overflows))] if overflows else table


def _rate(value: Optional[float], otherwise: str) -> str:
    return otherwise if value is None else f"{value:.2g}"
