"""The report's own words in Chinese and English; findings bring theirs with them."""

import locale
import os

CONCLUSIONS = {
    "zh": {"problem": "发现问题", "ok": "无问题", "not_applicable": "不涉及", "undecided": "请填写"},
    "en": {
        "problem": "Problem found", "ok": "No problem", "not_applicable": "Not applicable", "undecided": "To be filled in",
    },
}  # fmt: skip
# a mark beside the word, so that a page printed in black and white reads as well
MARKS = {"problem": "✗", "ok": "✓", "not_applicable": "–", "undecided": "?"}
COLOURS = {"problem": "B3261E", "ok": "1B6E3C", "not_applicable": "5F6368", "undecided": "9A5B00"}

WORDS = {
    "zh": {
        "title": "MindSpore 精度问题检查报告", "blank_title": "MindSpore 精度问题检查表", "subtitle": "由 msprec {version} 生成",
        "run": "运行与环境", "summary": "结论汇总", "item": "检查项", "conclusion": "检查结论", "reason": "依据",
        "script": "脚本", "command": "命令", "started": "开始时间", "seconds": "用时（秒）", "exit": "退出状态",
        "versions": "版本", "device": "设备", "mode": "运行模式", "steps": "训练步数", "seeds": "随机种子",
        "platform": "平台", "notes": "说明", "why": "为什么要查", "check": "检查方法", "evidence": "证据", "advice": "下一步",
        "would_decide": "如何得出结论", "places": "位置", "back": "返回汇总", "mend": "修改方法", "page": "第", "of": "页，共", "end": "页",
        "figure": "图", "table": "表", "more_rows": "另有 {count} 行未显示，见运行目录。", "killed": "运行未正常结束",
        "cpu_loss_scale": "MindSpore 的 loss scale 训练单元不能在 CPU 上直接运行；本次运行中溢出检查改为判断梯度是否有限。",
        "found": "{problem} 项发现问题，{undecided} 项待填写，{ok} 项无问题，{not_applicable} 项不涉及。",
        "loss": "训练 loss", "loss_raw": "loss", "loss_smooth": "平滑后", "step": "训练步", "scale": "loss scale",
        "overflow": "溢出", "count": "样本数", "class": "类别", "value": "取值", "channel": "通道", "mean": "均值",
        "range": "最小值到最大值", "std": "均值 ± 标准差", "nonfinite": "NaN 或 Inf", "folded": "其余 {count} 项：无问题 {ok}；不涉及 {na}",
        "report": "报告",
        "no_mindspore": "脚本没有导入 mindspore，没有可以检查的训练。", "no_training": "没有观察到训练步：脚本没有训练，或训练方式未被识别。",
        "none": "无", "families": "类别",
    },
    "en": {
        "title": "MindSpore accuracy checklist", "blank_title": "MindSpore accuracy checklist (form)",
        "subtitle": "Written by msprec {version}",
        "run": "Run and environment", "summary": "Summary", "item": "Item", "conclusion": "Conclusion", "reason": "Reason",
        "script": "Script", "command": "Command", "started": "Started", "seconds": "Seconds", "exit": "Exit",
        "versions": "Versions", "device": "Device", "mode": "Mode", "steps": "Training steps", "seeds": "Seeds",
        "platform": "Platform", "notes": "Notes", "why": "Why it matters", "check": "How it is checked",
        "evidence": "Evidence", "advice": "What to do next", "would_decide": "What would decide it", "places": "Places",
        "back": "Back to the summary", "mend": "How to mend it", "page": "Page", "of": "of", "end": "",
        "figure": "Figure", "table": "Table", "more_rows": "{count} more rows are in the run folder.",
        "killed": "the run did not end by itself",
        "cpu_loss_scale": "MindSpore's loss-scale cell does not run on a CPU by itself; here its overflow check was done by a "
        "finite check of the gradients.",
        "found": "{problem} with a problem, {undecided} to be filled in, {ok} without a problem, {not_applicable} not applicable.",
        "loss": "Training loss", "loss_raw": "loss", "loss_smooth": "smoothed", "step": "training step",
        "scale": "loss scale", "overflow": "overflow", "count": "samples", "class": "class", "value": "value",
        "channel": "channel", "mean": "mean", "range": "min to max", "std": "mean ± std", "nonfinite": "NaN or Inf",
        "folded": "the other {count}: no problem {ok}; not applicable {na}", "no_mindspore": "the script does not import mindspore; there is no training to check.",
        "no_training": "no training step was seen: the script trains nothing, or in a way that was not recognised.",
        "report": "Report", "none": "none",
        "families": "Families",
    },
}  # fmt: skip

FAMILIES = {
    "zh": {"ds": "常见数据集问题", "dp": "常见数据处理算法问题", "hp": "常见超参问题", "api": "常见API使用问题",
           "cg": "常见计算图结构问题", "wi": "常见权重初始化问题", "mp": "常见混合精度和溢出问题"},
    "en": {"ds": "Data sets", "dp": "Data processing", "hp": "Hyper-parameters", "api": "Use of APIs",
           "cg": "Computational graph", "wi": "Weight initialisation", "mp": "Mixed precision and overflow"},
}  # fmt: skip


def words(lang: str) -> dict:
    """The words of one language, ``zh`` or ``en``."""
    return WORDS["zh" if lang == "zh" else "en"]


def default_lang() -> str:
    """``zh`` where the locale is Chinese, else ``en``."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    try:
        known = locale.getlocale()[0] or ""
    except ValueError:
        known = ""
    return "zh" if known.lower().startswith(("zh", "chinese")) else "en"


def number(value) -> str:
    """A number as a reader likes it: whole ones whole, others to four significant digits."""
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value)
    if isinstance(value, float):
        if value == int(value) and abs(value) < 1e15 if value == value and abs(value) != float("inf") else False:
            return f"{int(value)}"
        return f"{value:.4g}"
    return str(value)
