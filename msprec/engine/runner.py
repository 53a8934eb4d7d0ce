"""Runs the checks over a run folder and makes their findings the dict of ``checklist.json`` (schema: record/SCHEMA.md)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Optional

from msprec._version import __version__
from msprec.bilingual import LANGUAGES, Text, literal, plain, sentence
from msprec.engine.family import families, items
from msprec.engine.finding import Finding, table, text, undecided
from msprec.engine.item import Item
from msprec.engine.rank_merge import examine_ranks
from msprec.engine.run_data import RunData
from msprec.engine.sections import sections
from msprec.engine.thresholds import resolve_thresholds
from msprec.record.about import about
from msprec.record.notebook_cells import by_cells
from msprec.record.reader import SCHEMA, RunFolder
from msprec.source.gc_pause import collector_paused
from msprec.source.static_input import Scripts, kept_also, kept_reference, together

#: The title, in both languages, of the table of thresholds that ends an item's evidence.
THRESHOLDS_USED = ("判断所用的阈值", "Thresholds used")
RUN_IT = Text("用 `msprec run 脚本` 运行训练脚本后再作判断。", "Run the training script with `msprec run SCRIPT`.")
#: Why an item is left open, and what would decide it: what `undecided` is given.
NOTHING_OBSERVED = Text("没有运行记录，尚未检查。", "Nothing has been observed yet."), RUN_IT
ONLY_READ = (
    Text(
        "脚本只被读取、没有运行，源码本身不能决定此项。",
        "The scripts were read, not run; the source alone does not decide this.",
    ),
    RUN_IT,
)
LEFT_OUT = (
    Text("本次未检查此项。", "This item was not asked for."),
    Text("去掉 `--only` 重新得出结论。", "Conclude again without `--only`."),
)
NO_MINDSPORE = (
    Text(
        "脚本没有导入 mindspore，没有可以检查的训练。",
        "The script does not import mindspore; there is no training to check.",
    ),
    Text("对真正训练的脚本运行 `msprec run`。", "Run `msprec run` on the script that really trains."),
)


#: How often an item is examined anew without functions that nothing uses.
_MOST_UNUSED = 4


def conclude(
    run_dir: Optional[Path],
    lang: str = "en",
    only: Optional[set] = None,
    thresholds: Optional[Mapping] = None,
    scripts: Optional[Scripts] = None,
    reference: Optional[Scripts] = None,
    handed: Optional[dict] = None,
) -> dict:
    """Conclude every item from the run folder, from scripts that are only read, or from both; without either all are left open.

    ``only`` names items or families to examine; the others stay open. ``thresholds`` sets thresholds by name
    (``{"ds.03.ratio": 20}``). ``reference`` is the script to compare with; default: the one kept in the run folder.
    ``handed`` holds facts by name that the run did not record: those of references (`msprec.references.reference_options`).
    Raises RunFolderError when the folder cannot be read, ValueError for a wrong option.
    """
    if lang not in LANGUAGES:
        raise ValueError(f"lang must be one of {', '.join(LANGUAGES)}, not {lang!r}")
    chosen = _chosen(only)
    resolved = resolve_thresholds(default_thresholds(), thresholds)
    if run_dir is None and scripts is None:
        return _document([(item, undecided(*NOTHING_OBSERVED)) for item in items()], lang, None, None)
    run_data = _run_data(run_dir, resolved, scripts, reference, handed or {})
    with collector_paused():
        findings = [(item, examine(item, run_data) if item.id in chosen else undecided(*LEFT_OUT)) for item in items()]
        run_data.findings = {item.id: finding for item, finding in findings if item.id in chosen}
    document = _document(findings, lang, str(run_dir) if run_dir else None, run_data.run.ended or run_data.run.started)
    unreadable = {"unreadable": list(run_data.damaged)} if run_data.damaged else {}
    told = about(run_data.folder.run) if run_dir is not None else None
    whole = {**({"about": told} if told else {}), **_sections(run_data, lang), **document, **unreadable}
    return by_cells(whole, run_data.folder.run)


def _run_data(
    run_dir: Optional[Path], thresholds: dict, scripts: Optional[Scripts], reference: Optional[Scripts], handed: dict
) -> RunData:
    if run_dir is None:
        assert scripts is not None
        return RunData(scripts, thresholds, scripts, reference)
    folder = RunFolder(run_dir)
    folder.hand_over(handed)
    return RunData(folder, thresholds, together(scripts, kept_also(run_dir)), reference or kept_reference(run_dir))


def default_thresholds() -> dict:
    """The thresholds of all items, by name."""
    return {name: threshold for item in items() for name, threshold in item.thresholds.items()}


def blank(lang: str = "en") -> dict:
    """The checklist with nothing filled in."""
    return conclude(None, lang)


def examine(item: Item, run_data: RunData) -> Finding:
    """One item's finding; a check that fails leaves its item open and says why.

    A problem in a function of another file that nothing in the run uses is none: the item is examined without it.
    """
    finding = _examined(item, run_data)
    for _ in range(_MOST_UNUSED):
        unused = run_data.unused_at(finding.locations) if run_data.was_run and finding.conclusion == "problem" else {}
        if not unused:
            break
        run_data = run_data.without(unused)
        finding = _examined(item, run_data)
    return finding


def _examined(item: Item, run_data: RunData) -> Finding:
    run_data.consulted = []
    if run_data.run.script_imports_mindspore is False:
        return undecided(*NO_MINDSPORE)
    missing = [hook for hook in run_data.run.hooks_missing if item.id in hook.items]
    if missing:
        late = [hook for hook in missing if hook.late]
        return _too_late(late) if late else _hooks_missing(missing, run_data.mindspore_version)
    try:
        finding = examine_ranks(item.check, run_data, item.ranks) if item.ranks else item.check(run_data)
    except Exception as error:  # a defect in a check must not cost the user the other 23 conclusions
        return _failed(error)
    finding = _finished(item, run_data, finding)
    if not run_data.was_run and finding.conclusion == "undecided" and not finding.evidence:
        return undecided(*ONLY_READ)
    if finding.conclusion == "undecided" and not finding.evidence and _ended_before_training(run_data):
        return _crashed(run_data.run.exit.exception)
    if finding.conclusion != "not_applicable" and run_data.consulted:
        finding.evidence.append(_thresholds(run_data.consulted))
    return finding


def _finished(item: Item, run_data: RunData, finding: Finding) -> Finding:
    """The finding after the item's ``after``; where that fails, the finding as it is, and why it failed."""
    try:
        return item.after(item.id, run_data, finding) if item.after is not None else finding
    except Exception as error:  # a defect in a comparison must not cost the user the conclusion
        finding.evidence.append(text(Text("补充证据", "Further evidence"), _not_made(error)))
        return finding


def _sections(run_data: RunData, lang: str) -> dict:
    """The further parts of the document, by name; one that fails says why."""
    made = {}
    for name, section in sections().items():
        try:
            made[name] = section(run_data, lang)
        except Exception as error:
            made[name] = {"name": name, "conclusion": [plain(_not_made(error), lang)], "evidence": []}
    return {name: part for name, part in made.items() if part is not None}


def _not_made(error: Exception) -> Text:
    return Text("无法得出（{error}）。", "It could not be made ({error}).", error=f"{type(error).__name__}: {error}")


def _chosen(only: Optional[set]) -> set:
    known = {item.id for item in items()}
    if not only:
        return known
    unknown = sorted(name for name in only if not any(id == name or id.startswith(f"{name}.") for id in known))
    if unknown:
        raise ValueError(f"there is no item or family {', '.join(unknown)}")
    return {id for id in known if id in only or id.split(".")[0] in only}


def _document(findings: list, lang: str, run: Optional[str], generated: Optional[str]) -> dict:
    beyond = {family.id for family in families() if family.beyond}
    return {
        "schema": SCHEMA,
        "lang": lang,
        "generated": generated,
        "tool": {"name": "msprec", "version": __version__},
        "run": run,
        "families": [
            {"id": family.id, "title": plain(family.title, lang), "beyond": family.beyond} for family in families()
        ],
        "items": [_entry(item, finding, lang) for item, finding in findings if item.family not in beyond],
        "beyond": [_entry(item, finding, lang) for item, finding in findings if item.family in beyond],
    }


def _entry(item: Item, finding: Finding, lang: str) -> dict:
    return {
        "id": item.id,
        "title": plain(item.title, lang),
        "conclusion": finding.conclusion,
        "summary": sentence(plain(finding.summary, lang)),
        "locations": plain(finding.locations, lang),
        "evidence": [piece.as_dict(lang) for piece in finding.evidence],
        "would_decide": plain(finding.would_decide, lang),
        "advice": plain(finding.advice, lang),
        "answered_by": "tool",
    }


def _thresholds(consulted: list):
    rows = [[threshold.name, threshold.value, threshold.meaning, _source(threshold.source)] for threshold in consulted]
    columns = [Text("名称", "name"), Text("值", "value"), Text("含义", "meaning"), Text("来源", "source")]
    return table(Text(*THRESHOLDS_USED), columns, rows)


def _source(source: str) -> Text:
    """Where a threshold comes from; the reason for one of ours stands in English in the item's thresholds.toml."""
    told = {"guide": Text("指南", "the guide"), "user": Text("用户设置", "set by the user")}
    return told.get(source) or Text("msprec", source.replace("ours", "msprec", 1))


def _ended_before_training(run_data: RunData) -> bool:
    """Whether an error ended the script before it had built or read anything to train with."""
    ended = run_data.run.exit
    begun = run_data.datasets or run_data.networks or run_data.optimizers or run_data.trained
    return bool(ended and ended.kind == "exception" and ended.exception and not begun)


def _crashed(error) -> Finding:
    return undecided(
        Text(
            "脚本在训练之前因 {error} 结束，没有可以检查的内容。",
            "The script ended with {error} before any training; there is nothing to check.",
            error=error.type or "",
        ),
        Text("修复这一错误后重新运行 `msprec run`。", "Fix that error and repeat `msprec run`."),
    )


def _hooks_missing(missing: list, version: Optional[str]) -> Finding:
    """Names of MindSpore that the observation of the item rests on were not there."""
    rows = [[hook.hook, literal(hook.learns), literal(hook.why)] for hook in missing]
    names = ", ".join(hook.hook or "" for hook in missing[:3]) + (", …" if len(missing) > 3 else "")
    columns = [Text("名称", "name"), Text("由它得知", "what is learnt there"), Text("缺少时", "without it")]
    return undecided(
        Text(
            "本次运行的 MindSpore {version} 没有 msprec 观察此项所需的 {names}，无法判断。",
            "MindSpore {version}, which ran, does not have {names}, by which msprec observes this item; it is not concluded.",
            version=version or "",
            names=names,
        ),
        Text(
            "请升级 msprec，或用 msprec 试过的 MindSpore 版本重新运行；在此之前请人工检查此项。",
            "Update msprec, or run again with a MindSpore that msprec was tried with; until then check this item by hand.",
        ),
        [table(Text("缺少的 MindSpore 名称", "Names that this MindSpore does not have"), columns, rows)],
    )


def _too_late(late: list) -> Finding:
    """A notebook made something before msprec looked on."""
    return undecided(
        Text("{why}，无法判断。", "{why}: not concluded.", why=literal(late[0].why)),
        Text(
            "请重启内核，先运行 `%load_ext msprec`，再依次运行各单元格。",
            "Restart the kernel, run `%load_ext msprec` first, then the cells.",
        ),
    )


def _failed(error: Exception) -> Finding:
    name = f"{type(error).__name__}: {error}"
    return undecided(
        Text(
            "检查程序自身出错，未得出结论（{error}）。",
            "The check itself failed, so nothing is concluded ({error}).",
            error=name,
        ),
        Text(
            "这是 msprec 的缺陷：请附上运行目录报告；在此之前请人工检查此项。",
            "This is a defect of msprec: report it with the run folder; until then check this item by hand.",
        ),
    )
