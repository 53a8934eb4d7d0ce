"""What a reader must know first: what was run, whether it learnt, what is wrong and where, how to run it again.

Word, HTML, Markdown and the terminal begin with it.
"""

import re
from typing import NamedTuple, Optional

from msprec.engine import find
from msprec.record.about import about
from msprec.record.checklist_file import all_entries
from msprec.report.strings import CONCLUSIONS, number, words

# a sentence ends where the next begins: a full stop between digits or in a name does not end one
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“`(])|(?<=[。！？])")


#: Parts of checklist.json with ``conclusion`` and ``evidence`` of their own, and the word that heads each.
PARTS = {"remedies": "remedies", "reference_run": "against"}


class ItemInBrief(NamedTuple):
    """One item in brief: ``text`` and ``fix`` are one sentence each (``fix``: what would decide an item that is open)."""

    id: str
    title: str
    text: str
    place: str
    fix: str


class Overview(NamedTuple):
    """``ran``: what was run, on what; ``outcome``: whether it learnt, and ``state``, one of `msprec.record`'s schema;
    ``problems`` in the order of the evidence, ``open``: items to be filled in; ``groups``: ``(ids, text, fix)`` of those that are
    open for one reason; ``counts``: how many items were decided;
    ``repeat``: the command."""

    ran: str
    outcome: Optional[str]
    state: Optional[str]
    problems: list
    open: list
    groups: list
    counts: str
    repeat: Optional[str]


def overview(checklist: dict, lang: str, run: Optional[dict] = None, short: bool = True) -> Overview:
    """The first things of a report.

    Args:
        checklist: The dict of ``checklist.json``.
        lang: ``zh`` or ``en``.
        run: The dict of ``run.json``, for a document without ``about``.
        short: Places as seen from the script's folder; otherwise as they are, from the folder that it ran in.
    """
    say, entries = words(lang), all_entries(checklist)
    told = checklist.get("about") or about(run or {}) or {}
    counts = {kind: sum(i["conclusion"] == kind for i in entries) for kind in CONCLUSIONS["en"]}
    outcome = checklist.get("outcome") or {}
    folder = str(told.get("script") or "").rpartition("/")[0]
    folder = f"{folder}/" if folder and short else ""
    groups, single = grouped(in_order(checklist, "undecided"))
    decided = len(entries) - counts["undecided"]
    return Overview(
        ran=_ran(told, say),
        outcome=outcome.get("text"),
        state=outcome.get("state"),
        problems=[shown(item, lang, folder) for item in in_order(checklist, "problem")],
        open=[shown(item, lang, folder) for item in single],
        groups=[([item["id"] for item in group], *shown(group[0], lang)[2::2]) for group in groups],
        counts=say["decided"].format(decided=decided, all=len(entries)) + say["found"].format(**counts),
        repeat=told.get("repeat"),
    )


def in_order(checklist: dict, kind: str) -> list:
    """The entries with this conclusion: first by the effect of their remedies, where that was measured, then those that may
    have kept the training from learning, strongest evidence first."""
    tables = (checklist.get("remedies") or {}).get("evidence") or ()
    rows = [row for table in tables for row in table.get("rows") or () if len(row) > 1]
    suspects = [id for row in rows for id in str(row[1] or "").split()]
    suspects += [one.get("item") for one in (checklist.get("outcome") or {}).get("suspects") or ()]
    entries = [item for item in all_entries(checklist) if item["conclusion"] == kind]
    return sorted(entries, key=lambda item: suspects.index(item["id"]) if item["id"] in suspects else len(suspects))


def grouped(entries: list) -> tuple:
    """``(groups, others)``: items that are open for the same reason, without any evidence, and all others."""
    reasons: dict[tuple, list] = {}
    for item in entries:
        if not item.get("evidence") and item.get("answered_by") != "person" and not item.get("locations"):
            reasons.setdefault((item.get("summary"), item.get("would_decide")), []).append(item)
    groups = [items for items in reasons.values() if len(items) > 1]
    in_group = {item["id"] for items in groups for item in items}
    return groups, [item for item in entries if item["id"] not in in_group]


def shown(item: dict, lang: str, folder: str = "", most: int = 240) -> ItemInBrief:
    """An item in brief, each sentence of no more than ``most`` columns; its place as seen from ``folder``."""
    places = places_of(item, folder)
    fix = item.get("advice") if item["conclusion"] == "problem" else item.get("would_decide")
    if not fix and item["conclusion"] == "problem" and (known := find(item["id"])) is not None:
        fix = known.text(lang).fix
    return ItemInBrief(
        item["id"],
        item["title"],
        sentence(item.get("summary") or "", most),
        places[0] if places else "",
        sentence((fix or "").lstrip("-* "), most),
    )


def places_of(item: dict, folder: str = "") -> list:
    """The places of an item, ``file:line``; files below ``folder`` as seen from there."""
    places = [f"{p['file']}:{p['line']}" for p in item.get("locations") or [] if p.get("file")]
    return [place[len(folder) :] if folder and place.startswith(folder) else place for place in places]


def sentence(text: str, most: int) -> str:
    """The first sentence of a text in one line, cut with a mark where it has more than ``most`` columns of letters."""
    flat = " ".join(_END.split(str(text).strip(), 1)[0].split())
    width = 0
    for position, letter in enumerate(flat):
        width += 2 if ord(letter) > 0x2E80 else 1
        if width > most:
            cut = flat[:position]
            return (cut.rsplit(" ", 1)[0] if " " in cut[-30:] else cut) + " …"
    return flat


def _ran(told: dict, say: dict) -> str:
    """One line: script, versions, device and mode, steps and time, how it ended."""
    if not told:
        return ""
    ranks = told.get("ranks") or 1
    on = " ".join(filter(None, [told.get("device"), told.get("mode")]))
    parts = [
        told.get("script"),
        f"MindSpore {told['mindspore']}" if told.get("mindspore") else None,
        on + (f" × {ranks}" if ranks > 1 else "") if on else None,
        say["steps_seconds"].format(steps=told["steps"], seconds=number(round(float(told.get("seconds") or 0), 1)))
        if told.get("steps") is not None
        else None,
        _ended(told, say),
    ]
    return " · ".join(filter(None, parts))


def _ended(told: dict, say: dict) -> str:
    kind = told.get("exit")
    if told.get("error"):
        return say["ended_with"].format(error=told["error"])
    return (
        say["killed"]
        if kind in ("running", "signal")
        else say["ended_ok"]
        if kind in ("ok", "exit")
        else str(kind or "")
    )
