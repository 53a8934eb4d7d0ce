"""The label sheet: samples with their labels, for a person to look over; what looks wrong first, framed."""

from pathlib import Path
from typing import Any, Optional

import numpy as np

from msprec.figure_style import RED, chinese_font
from msprec.report.plain_text import clean

_MOST = 56
# columns, and inches a row, for texts, pictures, and pictures of no more pixels a side than `_SMALL`
_TEXTS, _PICTURES, _THUMBNAILS, _SMALL = (4, 1.05), (8, 1.05), (14, 0.66), 40


def draw_label_sheet(data: dict, run_dir: Optional[Path], lang: str) -> Optional[bytes]:
    """A sheet of at most 56 samples.

    Args:
        data: ``{"samples": [{"label": "3", "note": "…", "suspect": true, and one of
            "image": [[…]] (height, width), (height, width, 3) or (3, height, width), "file": "samples/0.png", "text": "…"}]}``.
        run_dir: The run folder that ``file`` lies in.
    """
    samples = [s for s in data.get("samples") or [] if isinstance(s, dict)]
    samples = sorted(samples, key=lambda s: not s.get("suspect"))[:_MOST]
    if not samples:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    pictures = [_picture(sample, run_dir) for sample in samples]
    columns, inches = _layout(samples, pictures)
    rows = -(-len(samples) // columns)
    figure = Figure(figsize=(6.3, inches * rows + 0.1), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    font: dict[str, Any] = {"family": [chinese_font(), "DejaVu Sans"]} if chinese_font() else {}
    for position, (sample, picture) in enumerate(zip(samples, pictures)):
        axes = figure.add_subplot(rows, columns, position + 1)
        axes.set_xticks([])
        axes.set_yticks([])
        _show(axes, sample, picture, font)
        suspect = bool(sample.get("suspect"))
        title = clean(sample.get("label"))[:16] + (" ?" if suspect else "")
        axes.set_title(title.replace("$", r"\$"), fontsize=8, pad=2, fontweight="bold" if suspect else "normal", **font)
        for spine in axes.spines.values():
            spine.set(
                color=RED if suspect else "#9AA0A6",
                linewidth=2.2 if suspect else 0.5,
                linestyle="--" if suspect else "-",
            )
    return _png(figure)


def _layout(samples: list, pictures: list) -> tuple:
    """Columns and inches a row: small pictures need no more room than lets them be told apart."""
    if all("text" in sample for sample in samples):
        return _TEXTS
    seen = [picture for picture in pictures if picture is not None]
    small = len(seen) == len(pictures) and all(max(picture.shape[:2]) <= _SMALL for picture in seen)
    return _THUMBNAILS if small else _PICTURES


def _show(axes, sample: dict, picture: Optional[np.ndarray], font: dict) -> None:
    if picture is not None:
        axes.imshow(picture, cmap="gray" if picture.ndim == 2 else None, interpolation="nearest")
    else:
        text = clean(sample.get("text") if "text" in sample else "–").replace("$", r"\$")
        lines = [text[i : i + 22] for i in range(0, min(len(text), 132), 22)]
        axes.text(0.03, 0.95, "\n".join(lines), fontsize=6, va="top", transform=axes.transAxes, clip_on=True, **font)


def _picture(sample: dict, run_dir: Optional[Path]) -> Optional[np.ndarray]:
    """The sample's image as (height, width) or (height, width, 3), scaled to 0…1; None where there is none."""
    try:
        if "image" in sample:
            pixels = np.asarray(sample["image"], dtype=float)
        elif run_dir is None:
            return None
        else:
            file = (Path(run_dir) / str(sample["file"])).resolve()
            if Path(run_dir).resolve() not in file.parents or file.stat().st_size > 20_000_000:
                return None
            from PIL import Image

            with Image.open(file) as image:
                image.thumbnail((256, 256))
                pixels = np.asarray(
                    image.convert("L" if image.mode in ("1", "L", "I", "I;16", "F") else "RGB"), dtype=float
                )
    except Exception:  # no such file, no picture, no numbers
        return None
    if pixels.ndim == 3 and pixels.shape[0] in (1, 3) and pixels.shape[2] not in (1, 3):
        pixels = np.moveaxis(pixels, 0, 2)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim not in (2, 3) or not pixels.size or (pixels.ndim == 3 and pixels.shape[2] != 3):
        return None
    finite = np.where(np.isfinite(pixels), pixels, np.nan)
    if np.isnan(finite).all():
        return None
    low, high = np.nanmin(finite), np.nanmax(finite)
    return np.nan_to_num((finite - low) / (high - low if high > low else 1.0))


def _png(figure) -> bytes:
    import io

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
