"""What the experiments came to, for people: sentences, a table for the terminal, one plot."""

from typing import Optional

from msprec.bilingual import LANGUAGES, Text

_VERDICTS = {
    "helps": Text("有效", "helps"),
    "none": Text("在波动范围内无效果", "no effect within the spread"),
    "harms": Text("结果变差", "makes it worse"),
}
NOTHING_HELPS = Text("没有任何修复措施有效，因此不给出补丁。", "No remedy helps; there is no patch.")
NO_PROBLEMS = Text(
    "此次运行没有发现问题，没有可以尝试的修复措施。",
    "The run has no problem that a remedy answers: there is nothing to try.",
)
REPORT = Text("写入报告：msprec checklist --run {{run}}", "Into the report: msprec checklist --run {{run}}")
_BUDGET = Text(
    "时间预算已用完，没有试验补丁；以更大的 --budget 再次运行，将从中断处继续。",
    "The budget is spent and no patch was tried; with a larger --budget the command goes on from here.",
)
_WHY_NOT = {
    "no_place": Text("源码中的位置不确定", "no sure place in the source"),
    "failed": Text("打补丁后的脚本运行失败", "the patched script failed"),
    "worse": Text("打补丁后的结果不如钩子方式", "the patched script did worse than the hooked run"),
}


def both(title: Text) -> dict:
    """A title in both languages."""
    return {lang: title.render(lang) for lang in LANGUAGES}


def values(found: list) -> str:
    """``0.32 ± 0.01``: mean and standard deviation over seeds; NaN where a run has none."""
    known = [value for value in found if value is not None]
    if not known or len(known) < len(found):
        return "NaN" if found else "—"
    mean = sum(known) / len(known)
    if len(known) < 2:
        return f"{mean:.4g}"
    deviation = (sum((value - mean) ** 2 for value in known) / (len(known) - 1)) ** 0.5
    return f"{mean:.4g} ± {deviation:.2g}"


def verdict(entry: dict) -> Text:
    """``helps``, with what it helps on top of where it does so only there."""
    if entry.get("failed") and not any(value is not None for value in entry["losses"]):
        return Text("无法运行：{why}", "could not run: {why}", why=entry.get("said") or "")
    on_top = next((one for one in entry.get("added", []) if one["verdict"] == "helps"), None)
    if on_top is not None and entry["verdict"] != "helps":
        return Text("与 {others} 一起时有效", "helps together with {others}", others=" + ".join(on_top["to"]))
    if entry["verdict"] == "helps" and entry.get("added") and not entry.get("used"):
        return Text("单独有效，与其他措施一起时多余", "helps alone, not on top of the others")
    return _VERDICTS[entry["verdict"]]


def sentence(entry: dict, facts: dict, lang: str) -> str:
    """``inputs standardised: accuracy 0.32 → 0.91``."""
    which = "scores" if facts["score"] else "losses"
    title = entry["title"][lang]
    before, after = values(facts["baseline"][which]), values(entry[which])
    if entry["verdict"] == "helps":
        return f"{title}: {facts['score'] or 'loss'} {before} → {after}"
    return f"{title}: {verdict(entry).render(lang)}"


def rows(facts: dict, lang: str) -> tuple:
    """``(heads, rows)`` of the table: the baseline, each remedy by its effect, all together."""
    score = facts["score"]
    heads = [
        Text("修复措施", "remedy"),
        Text("检查项", "items"),
        *([Text("{name}", "{name}", name=score)] if score else []),
        Text("训练 loss", "training loss"),
        Text("效果", "effect"),
    ]
    lines = [_row(Text("原脚本", "as it is").render(lang), [], facts["baseline"], score, _ending(facts, lang))]
    for entry in facts["remedies"]:
        title = f"{entry['title'][lang]} ({entry['id']})"
        lines.append(_row(title, entry["items"], entry, score, verdict(entry).render(lang), entry["same_loss"]))
    together = facts["together"]
    if together and len(together["ids"]) > 1:
        lines.append(
            _row(" + ".join(together["ids"]), [], together, score, _VERDICTS[together["verdict"]].render(lang))
        )
    return [head.render(lang) for head in heads], lines


def _ending(facts: dict, lang: str) -> str:
    """By what the script as it is ended, where it did not end well."""
    if not facts["baseline"].get("failed"):
        return ""
    return Text("以错误结束：{why}", "ends by an error: {why}", why=facts["baseline"].get("said") or "").render(lang)


def _row(title: str, items: list, entry: dict, score: Optional[str], effect: str, same_loss: bool = True) -> list:
    measured = [values(entry["scores"])] if score else []
    return [title, " ".join(items), *measured, values(entry["losses"]) if same_loss else "—", effect]


def closing(facts: dict, lang: str) -> list:
    """The sentences below the table: what is left, what was not run, the patch and how to apply it."""
    patch, lines = facts.get("patch") or {}, []
    if facts["left_out"]:
        said = Text(
            "时间预算内未能尝试：{ids}。", "Not tried within the budget: {ids}.", ids=", ".join(facts["left_out"])
        )
        lines.append(said.render(lang))
    if facts["budget_spent"]:
        lines.append(_BUDGET.render(lang))
    elif facts["together"] is None:
        lines.append(NOTHING_HELPS.render(lang))
    elif patch.get("file"):
        told = Text(
            "补丁：{file}；在 {folder} 中执行 git apply 即可。",
            "Patch: {file}; apply it with git apply in {folder}.",
            file=patch["file"],
            folder=patch["apply_in"],
        )
        lines.append(told.render(lang))
    elif patch:
        told = Text("没有补丁：{why}。", "No patch: {why}.", why=_WHY_NOT.get(patch.get("why_not"), Text("", "")))
        lines.append(told.render(lang))
    used = set(patch.get("described") or ())
    for entry in [*(one for one in facts["remedies"] if one["id"] in used), *facts["described"]]:
        if entry.get("code"):
            lines.append(f"{entry['title'][lang]}:\n" + "\n".join(f"    {line}" for line in entry["code"].splitlines()))
    return lines


def setting_rows(facts: dict, lang: str) -> tuple:
    """``(heads, rows)`` of the table of settings."""
    score = facts["score"]
    heads = [Text("设置", "setting"), *([Text("{name}", "{name}", name=score)] if score else [])]
    heads += [Text("训练 loss", "training loss"), Text("效果", "effect")]
    lines = [_row(Text("原脚本", "as it is").render(lang), [], facts["baseline"], score, "")]
    for entry in facts["settings"]:
        measured = {"scores": entry.get("scores", []), "losses": entry.get("losses", [])}
        said = setting_verdict(entry).render(lang)
        lines.append(_row(entry["title"][lang], [], measured, score, said))
    return [head.render(lang) for head in heads], [[row[0], *row[2:]] for row in lines]


def setting_verdict(entry: dict) -> Text:
    if entry["verdict"] == "without_effect_here":
        return Text("仅作用于 Ascend，本机未运行", "a switch of Ascend, not run here")
    return verdict(entry)


def setting_closing(facts: dict, lang: str) -> list:
    """Which setting removes the symptom, and the cells with their lines."""
    first = next((one for one in facts["settings"] if one["id"] == facts["first"]), None)
    if first is None:
        return [Text("没有任何设置消除该现象。", "None of the settings removes the symptom.").render(lang)]
    lines = [
        Text("消除该现象的设置：{title}。", "What removes the symptom: {title}.", title=first["title"][lang]).render(
            lang
        )
    ]
    for cell in facts["cells"] or ():
        place = cell["place"] or {"file": "?", "line": "?"}
        where = f"{cell['path']} ({cell['class']}), {place['file']}:{place['line']}"
        said = Text("需要 float32 的 Cell：{cell}", "a cell that needs float32: {cell}", cell=where)
        lines.append(said.render(lang))
    return lines


def figure(facts: dict) -> dict:
    """The evidence of the plot: training loss by step, the baseline, all remedies together, each that helps."""
    shown = [(both(Text("原脚本", "as it is")), facts["baseline"])]
    if facts["together"] and len(facts["together"]["ids"]) > 1:
        shown.append((both(Text("全部一起", "together")), facts["together"]))
    shown += [(one["title"], one) for one in facts["remedies"] if one["verdict"] == "helps" and one["same_loss"]]
    curves = [{"name": name, **entry["curve"]} for name, entry in shown if entry["curve"]]
    return {"kind": "figure", "source": "run", "figure": "losses_of_experiments", "data": {"curves": curves}}


def plot(facts: dict, lang: str) -> Optional[bytes]:
    """The PNG of `figure`; None where no loss was recorded."""
    from msprec.report.figures import draw

    return draw("losses_of_experiments", figure(facts)["data"], None, lang)
