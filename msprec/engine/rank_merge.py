"""One conclusion for a distributed run: the same check on each rank's own facts, and a finding that names the ranks."""

from typing import Callable

from msprec.bilingual import Text
from msprec.engine.finding import CONCLUSIONS, Evidence, Finding, table, undecided, worst
from msprec.engine.run_data import RunData

#: What ``item(ranks=…)`` may be. `WORST`: the worst finding of any rank counts. `PROBLEMS`: a problem of any rank
#: counts, and else what rank 0 tells (where the other ranks lack what decides, such as evaluations).
WORST, PROBLEMS = "worst", "problems"
_NAMES = {
    "problem": Text("发现问题", "problem"),
    "undecided": Text("未定", "undecided"),
    "ok": Text("无问题", "no problem"),
    "not_applicable": Text("不涉及", "not applicable"),
}
_MOST_NAMED = 8
_NO_RECORD = (
    Text("没有留下记录（可能被中断）。", "it left no record (it may have been killed)."),
    Text(
        "让所有 rank 都在 `msprec run` 下运行到结束，并写到同一个目录。",
        "Run all ranks to their end with `msprec run`, into one folder.",
    ),
)


def examine_ranks(check: Callable, run_data: RunData, rule: str) -> Finding:
    """The finding of ``check`` on a run of several ranks, each seen by itself; of a single one as it is."""
    ranks = run_data.ranks
    recorded = [rank for rank in ranks if run_data.has_facts_of(rank)]
    if len(ranks) < 2 or not recorded:
        return check(run_data)
    found = [(rank, check(run_data.of_rank(rank))) for rank in recorded]
    if rule == WORST and len(recorded) < len(ranks):
        found += [(rank, undecided(*_NO_RECORD)) for rank in ranks if rank not in recorded]
    return _together(found, rule)


def _together(found: list, rule: str) -> Finding:
    rank, chosen = _chosen(found, rule)
    alike = [other for other, one in found if _told(one) == _told(chosen)]
    if len(alike) < len(found):
        chosen.evidence.insert(0, _by_rank(found))
    for piece in chosen.evidence:
        _of_rank(piece, rank)
    if chosen.conclusion != "not_applicable" or len(alike) < len(found):
        chosen.summary = _named(alike, found, chosen)
    return chosen


def _chosen(found: list, rule: str) -> tuple:
    first = worst([one for _, one in found])
    if rule == PROBLEMS and first.conclusion != "problem":
        return found[0]
    return next((rank, one) for rank, one in found if one is first)


def _told(one: Finding) -> tuple[str, str]:
    return one.conclusion, one.summary.render("en")


def _named(alike: list, found: list, chosen: Finding) -> Text:
    count, says = len(found), chosen.summary
    if len(alike) == count:
        return Text("{n} 个 rank 都是：{says}", "Each of the {n} ranks: {says}", n=count, says=says)
    ranks, noun = _listed(alike), "Rank" if len(alike) == 1 else "Ranks"
    zh, en = "rank {ranks}：{says}", "{noun} {ranks}: {says}"
    if all(one.conclusion == chosen.conclusion for _, one in found):
        zh, en, noun = "{n} 个 rank 结论相同；" + zh, "All {n} ranks conclude the same; " + en, noun.lower()
    return Text(zh, en, n=count, ranks=ranks, noun=noun, says=says)


def _listed(ranks: list) -> str:
    shown = ", ".join(map(str, ranks[:_MOST_NAMED]))
    return shown + (f", … ({len(ranks)})" if len(ranks) > _MOST_NAMED else "")


def _by_rank(found: list) -> Evidence:
    """A row for each finding that differs, the worst first, with the ranks that share it."""
    groups: dict[tuple, tuple[list, Finding]] = {}
    for rank, one in found:
        groups.setdefault(_told(one), ([], one))[0].append(rank)
    ordered = sorted(groups.values(), key=lambda group: CONCLUSIONS.index(group[1].conclusion))
    rows = [[_listed(ranks), _NAMES[one.conclusion], one.summary] for ranks, one in ordered]
    heads = ["rank", Text("结论", "conclusion"), Text("依据", "reason")]
    return table(Text("各 rank 的结论", "What each rank shows"), heads, rows)


def _of_rank(piece: Evidence, rank: int) -> None:
    """A figure that is drawn from the steps of the run folder is drawn from those of the rank."""
    data = piece.body.get("data")
    if rank and piece.kind == "figure" and isinstance(data, dict) and data.get("steps"):
        piece.body["data"] = {**data, "rank": rank}
