"""The report's own words in Chinese and English; findings bring theirs with them."""

import locale
import os

from msprec.engine.family import families as installed_families
from msprec.record.checklist_file import by_family

CONCLUSIONS = {
    "zh": {"problem": "发现问题", "ok": "无问题", "not_applicable": "不涉及", "undecided": "请填写"},
    "en": {
        "problem": "Problem found",
        "ok": "No problem",
        "not_applicable": "Not applicable",
        "undecided": "To be filled in",
    },
}
# a mark beside the word, so that a page printed in black and white reads as well
MARKS = {"problem": "✗", "ok": "✓", "not_applicable": "–", "undecided": "?"}
# where the encoding lacks one of these
PLAIN_MARKS = {"problem": "x", "ok": "+", "not_applicable": "-", "undecided": "?"}
COLOURS = {"problem": "B3261E", "ok": "1B6E3C", "not_applicable": "5F6368", "undecided": "9A5B00"}

# the hint in an empty comment field, and what word processors put there in its place
PLACEHOLDERS = {"zh": "（在此填写备注）", "en": "(type a comment here)"}
FOREIGN_PLACEHOLDERS = (
    "Click or tap here to enter text.",
    "Click here to enter text.",
    "单击或点击此处输入文字。",
    "单击此处输入文字。",
)

WORDS = {
    "zh": {
        "title": "MindSpore 精度问题检查报告",
        "blank_title": "MindSpore 精度问题检查表",
        "subtitle": "由 msprec {version} 生成",
        "run": "运行与环境",
        "summary": "结论汇总",
        "item": "检查项",
        "conclusion": "检查结论",
        "reason": "依据",
        "script": "脚本",
        "command": "命令",
        "started": "开始时间",
        "seconds": "用时（秒）",
        "exit": "退出状态",
        "versions": "版本",
        "device": "设备",
        "mode": "运行模式",
        "steps": "训练步数",
        "seeds": "随机种子",
        "platform": "平台",
        "notes": "说明",
        "why": "为什么要查",
        "check": "检查方法",
        "evidence": "证据",
        "advice": "下一步",
        "would_decide": "如何得出结论",
        "places": "位置",
        "back": "返回汇总",
        "fix": "修改方法",
        "page": "第",
        "of": "页，共",
        "end": "页",
        "figure": "图",
        "table": "表",
        "more_rows": "另有 {count} 行未显示；完整表格（{all} 行）见 {file}。",
        "killed": "运行未正常结束",
        "cpu_loss_scale": "MindSpore 的 loss scale 训练 Cell不能在 CPU 上直接运行；本次运行中溢出检查改为判断梯度是否有限。",
        "found": "{problem} 项发现问题，{undecided} 项待填写，{ok} 项无问题，{not_applicable} 项不涉及。",
        "loss": "训练 loss",
        "loss_raw": "loss",
        "loss_smooth": "平滑后",
        "step": "训练步",
        "what": "项目",
        "scale": "loss scale",
        "overflow": "溢出",
        "count": "样本数",
        "class": "类别",
        "value": "取值",
        "values": "取值个数",
        "channel": "通道",
        "mean": "均值",
        "range": "最小值到最大值",
        "std": "均值 ± 标准差",
        "nonfinite": "NaN 或 Inf",
        "report": "报告",
        "no_training": "没有观察到训练步：脚本没有训练，或训练方式未被识别。",
        "none": "无",
        "families": "类别",
        "beyond": "指南以外的检查项",
        "comment": "备注",
        "comment_head": "备注（供填写）",
        "general": "总体备注（供填写）",
        "notes_head": "备注",
        "how_to_fill": "结论可用下拉框修改，备注栏可随意填写；`msprec checklist --update 本文件 --run 运行目录` 会保留这些内容并更新证据。标记 ✗ ✓ – ? 是仅凭证据得出的结论：发现问题、无问题、不涉及、请填写。",
        "evidence_says": "证据的结论",
        "mark": "证据",
        "conflict_new": "与新的证据不一致：填写的结论是“{answer}”，而现在的证据表明“{evidence}”。填写的结论已保留，请复核。",
        "conflict": "与证据不一致：填写的结论是“{answer}”，而证据表明“{evidence}”。填写的结论已保留。",
        "handed_back": "下拉框被改回“请填写”，因此采用证据的结论“{evidence}”。",
        "two_choices": "[汇总表中选择了：{other}]",
        "typed": "[正文中填写的内容]",
        "by_person": "由人填写",
        "pictures": "填写时加入的图片",
        "kept_picture": "填写时加入的图片 {count}",
        "unfold": "展开全部",
        "skipped": "更新被跳过",
        "gradient_norm": "梯度范数",
        "gradient_zero": "梯度全为零",
        "underflow": "在 float16 中变为零",
        "subnormal": "在 float16 中为次正规数",
        "learning_rate": "学习率",
        "compute_time": "计算",
        "data_time": "等待数据",
        "train_loss": "训练 loss",
        "train_smooth": "训练 loss（平滑后）",
        "evaluated": "验证",
        "metric": "指标",
        "step_time": "每步用时",
        "against": "与标杆运行对比",
        "remedies": "修复措施的试验结果",
        "reference": "标杆运行",
        "this_run": "本次运行",
        "figure_failed": "此图无法绘制（{error}）。",
        "not_drawn": "没有可画的数据，未画图。",
        "form": "检查表",
        "problem": "问题",
        "place": "位置",
        "fix_short": "修改",
        "problems": "发现的问题",
        "open_items": "待填写的检查项",
        "others": "其他检查项",
        "in_order": "未发现问题的检查项",
        "appendix": "附录：方法、阈值与全部证据",
        "decided": "{all} 项中 {decided} 项已有结论：",
        "no_problem_found": "未发现问题。",
        "more_problems": "另有 {count} 个问题：",
        "more_open": "另有 {count} 项：",
        "repeat": "重新运行",
        "ended_with": "因错误结束：{error}",
        "ended_ok": "正常结束",
        "steps_seconds": "{steps} 个训练步，{seconds} 秒",
        "see": "见{what}",
        "shown_above": "{place}，代码见上文",
        "constant": "常数预测",
    },
    "en": {
        "title": "MindSpore accuracy checklist",
        "blank_title": "MindSpore accuracy checklist (form)",
        "subtitle": "Written by msprec {version}",
        "run": "Run and environment",
        "summary": "Summary",
        "item": "Item",
        "conclusion": "Conclusion",
        "reason": "Reason",
        "script": "Script",
        "command": "Command",
        "started": "Started",
        "seconds": "Seconds",
        "exit": "Exit",
        "versions": "Versions",
        "device": "Device",
        "mode": "Mode",
        "steps": "Training steps",
        "seeds": "Seeds",
        "platform": "Platform",
        "notes": "Notes",
        "why": "Why it matters",
        "check": "How it is checked",
        "evidence": "Evidence",
        "advice": "What to do next",
        "would_decide": "What would decide it",
        "places": "Places",
        "back": "Back to the summary",
        "fix": "How to fix it",
        "page": "Page",
        "of": "of",
        "end": "",
        "figure": "Figure",
        "table": "Table",
        "more_rows": "{count} more rows; the whole table ({all} rows) is in {file}.",
        "killed": "the run did not end by itself",
        "cpu_loss_scale": "MindSpore's loss-scale cell does not run on a CPU by itself; here its overflow check was done by a "
        "finite check of the gradients.",
        "found": "{problem} with a problem, {undecided} to be filled in, {ok} without a problem, {not_applicable} not applicable.",
        "loss": "Training loss",
        "loss_raw": "loss",
        "loss_smooth": "smoothed",
        "step": "training step",
        "what": "what",
        "scale": "loss scale",
        "overflow": "overflow",
        "count": "samples",
        "class": "class",
        "value": "value",
        "values": "values",
        "channel": "channel",
        "mean": "mean",
        "range": "min to max",
        "std": "mean ± std",
        "nonfinite": "NaN or Inf",
        "no_training": "no training step was seen: the script trains nothing, or in a way that was not recognised.",
        "report": "Report",
        "none": "none",
        "families": "Families",
        "beyond": "Items beyond the guide",
        "comment": "Comment",
        "comment_head": "Comment (yours to fill in)",
        "general": "General remarks (yours to fill in)",
        "notes_head": "Remarks",
        "how_to_fill": "A conclusion can be changed in its drop-down, and any comment typed in the field beside it; "
        "`msprec checklist --update THIS_FILE --run RUN` keeps both and refreshes the evidence. The signs ✗ ✓ – ? are what the evidence alone says: "
        "problem found, no problem, not applicable, to be filled in.",
        "evidence_says": "What the evidence says",
        "mark": "Evidence",
        "conflict_new": "In conflict with new evidence: the answer filled in is “{answer}”, and the evidence now says “{evidence}”. The answer is kept; please look again.",
        "conflict": "In conflict with the evidence: the answer filled in is “{answer}”, and the evidence says “{evidence}”. The answer is kept.",
        "handed_back": "The drop-down was set back to “To be filled in”, so the conclusion is the evidence's: “{evidence}”.",
        "two_choices": "[chosen in the summary: {other}]",
        "typed": "[typed in the text]",
        "by_person": "answered by a person",
        "pictures": "Pictures added by hand",
        "kept_picture": "Picture {count}, added by hand",
        "unfold": "Unfold all",
        "skipped": "update skipped",
        "gradient_norm": "gradient norm",
        "gradient_zero": "all gradients zero",
        "underflow": "becomes zero in float16",
        "subnormal": "becomes subnormal in float16",
        "learning_rate": "learning rate",
        "compute_time": "computing",
        "data_time": "waiting for data",
        "train_loss": "training loss",
        "train_smooth": "training loss, smoothed",
        "evaluated": "validation",
        "metric": "metric",
        "step_time": "Time of each step",
        "against": "Against the reference run",
        "remedies": "Remedies that were tried",
        "reference": "reference run",
        "this_run": "this run",
        "figure_failed": "This figure could not be drawn ({error}).",
        "not_drawn": "There are no data to draw.",
        "form": "Checklist",
        "problem": "Problem",
        "place": "Place",
        "fix_short": "Fix",
        "problems": "Problems",
        "open_items": "To be filled in",
        "others": "Other items",
        "in_order": "Found in order",
        "appendix": "Appendix: methods, thresholds and all evidence",
        "decided": "{decided} of {all} items are decided: ",
        "no_problem_found": "No problem was found.",
        "more_problems": "{count} more problems:",
        "more_open": "{count} more:",
        "repeat": "To repeat",
        "ended_with": "ended with {error}",
        "ended_ok": "ended normally",
        "steps_seconds": "{steps} training steps in {seconds} s",
        "see": "see {what}",
        "shown_above": "{place}, listed above",
        "constant": "constant prediction",
    },
}


def family_titles(checklist: dict, lang: str) -> dict[str, str]:
    """The titles of the families of a checklist, by id; of one that is not installed here, the title that the document gives."""
    told = {one["id"]: one.get("title") or one["id"] for one in checklist.get("families") or ()}
    ids = {family: family for family, _ in by_family(checklist)}
    return {**ids, **told, **{one.id: one.title.render(lang) for one in installed_families()}}


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
