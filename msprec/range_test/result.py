"""What a range test leaves: files, and a table for the terminal."""

import json
from pathlib import Path
from typing import Optional

from msprec.range_test.lr_curve import Curve
from msprec.record.writer import plain

WORDS = {
    "zh": {
        "title": "学习率范围测试",
        "used": "脚本使用的学习率（最大值）",
        "lower": "下界（loss 开始下降）",
        "upper": "上界（loss 最低处）",
        "steepest": "下降最快处，常用作初值",
        "diverged": "发散处",
        "steps": "step 数",
        "overflows": "溢出的 step",
        "none": "未到达",
        "unknown": "未知",
        "inside": "在上下界之间",
        "too_small": "偏小",
        "too_large": "偏大",
        "few": "可用的 step 少于 20：增加数据或轮数，或减小 --steps",
        "flat": "loss 在噪声之外没有下降：检查数据、标签和网络，或提高 --high",
        "rough": "loss 忽高忽低，曲线不够平滑，读不出界限：用更多 batch 或更大的 --steps 再测",
        "diverged_at_once": "从最小的学习率起就发散：loss 不是有限值，先查 mp.01",
        "beyond": "高于测试到的最大学习率",
        "rate": "学习率",
        "loss": "loss",
        "raw": "原始",
        "smoothed": "平滑",
        "range": "可用范围",
    },
    "en": {
        "title": "Learning-rate range test",
        "used": "rate of the script (the largest)",
        "lower": "lower bound (the loss begins to fall)",
        "upper": "upper bound (the loss is lowest)",
        "steepest": "steepest fall, a usual choice",
        "diverged": "diverges at",
        "steps": "steps",
        "overflows": "overflowing steps",
        "none": "not reached",
        "unknown": "not known",
        "inside": "between the bounds",
        "too_small": "too small",
        "too_large": "too large",
        "few": "fewer than 20 steps: more data or epochs, or a smaller --steps",
        "flat": "the loss does not fall beyond its noise: look at data, labels and network, or raise --high",
        "rough": "the loss bounces: too rough a curve to read bounds off; use more batches or more --steps",
        "diverged_at_once": "it diverges from the smallest rate on: the loss is not finite; see mp.01 first",
        "beyond": "above the largest rate tested",
        "rate": "learning rate",
        "loss": "loss",
        "raw": "raw",
        "smoothed": "smoothed",
        "range": "usable range",
    },
}


def write(folder: Path, curve: Curve, used: Optional[float], lang: str) -> None:
    """Writes ``curve.csv``, ``curve.json`` and ``curve.png`` into ``folder``.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "curve.csv").write_text(curve.csv(), encoding="utf-8")
    text = json.dumps(plain({**curve.facts(), "used": used}), indent=1, allow_nan=False)
    (folder / "curve.json").write_text(text + "\n", encoding="utf-8")
    from msprec.report.figures import range_test

    picture = range_test(curve, used, lang)
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
