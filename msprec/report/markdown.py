"""The findings as Markdown for an issue tracker: short, folded, and no text of the run can turn into a mention or a tag."""

import re

from msprec.record.checklist_file import all_entries
from msprec.report.overview import PARTS, Overview, grouped, in_order, overview, sentence
from msprec.report.plain_text import clean
from msprec.report.strings import CONCLUSIONS, MARKS, number, words

# trackers refuse longer texts (65 536 characters on GitHub, less elsewhere)
MOST_CHARACTERS = 60_000
_ROWS, _LINES = 10, 30


def as_markdown(checklist: dict) -> str:
    """The document as text; where it grows too long, evidence is left out, of the last items first."""
    items = all_entries(checklist)
    shown = [item for kind in ("problem", "undecided") for item in items if item["conclusion"] == kind]
    for count in range(len(shown), -1, -1):
        text = _document(checklist, {item["id"] for item in shown[:count]})
        if len(text) <= MOST_CHARACTERS:
            return text
    return text[:MOST_CHARACTERS]


def _document(checklist: dict, with_evidence: set) -> str:
    lang = "zh" if checklist.get("lang") == "zh" else "en"
    say, names, items = words(lang), CONCLUSIONS[lang], all_entries(checklist)
    found = overview(checklist, lang, short=False)
    lines = [f"# {say['title']}", "", *_front(found, say)]
    if checklist.get("remarks"):
        lines += ["", f"**{say['notes_head']}**", "", _text(checklist["remarks"])]
    for key, title in PARTS.items():
        lines += _part(checklist.get(key), say[title], say)
    single = grouped(in_order(checklist, "undecided"))[1]
    told = [*in_order(checklist, "problem"), *single]
    told += [i for i in items if i not in told and (i.get("comment") or i.get("conflict"))]
    for item in told:
        lines += ["", *_item(item, say, names, item["id"] in with_evidence)]
    rest = [item for item in items if item not in told and item["conclusion"] != "undecided"]
    if rest:
        lines += [
            "",
            f"<details><summary>{say['in_order']} ({len(rest)})</summary>",
            "",
            *_table(rest, say, names),
            "",
            "</details>",
        ]
    version = checklist.get("tool", {}).get("version", "")
    return "\n".join([*lines, "", f"{say['subtitle'].format(version=version)}", ""])


def _front(found: Overview, say: dict) -> list:
    """What an issue's first screen holds: what was run, whether it learnt, the problems, how to run it again."""
    lines = [_text(found.ran), ""] if found.ran else []
    lines += [f"**{_text(found.outcome)}**", ""] if found.outcome else []
    for position, one in enumerate(found.problems, 1):
        place = f" {_code(one.place)}" if one.place else ""
        fix = f" **{say['fix_short']}:** {_text(one.fix)}" if one.fix else ""
        lines.append(f"{position}. **{_text(f'{one.id} {one.title}')}**: {_text(one.text)}{place}{fix}")
    lines += [""] if found.problems else [f"**{say['no_problem_found']}**", ""] if found.ran else []
    if found.open:
        lines += [
            f"{MARKS['undecided']} **{say['open_items']}:** "
            + ", ".join(_text(f"{one.id} {one.title}") for one in found.open),
            "",
        ]
    for ids, text, fix in found.groups:
        lines += [f"{MARKS['undecided']} **{' '.join(ids)}:** {_text(text)} {_text(fix)}", ""]
    lines.append(_text(found.counts))
    return [*lines, "", f"{say['repeat']}: {_code(found.repeat)}"] if found.repeat else lines


def _table(items: list, say: dict, names: dict) -> list:
    lines = [f"| {say['item']} | {say['conclusion']} | {say['reason']} |", "| --- | --- | --- |"]
    for item in items:
        kind = item["conclusion"]
        cells = (
            f"{item['id']} {item['title']}",
            f"{MARKS[kind]} {names[kind]}",
            sentence(item.get("summary") or "", 220),
        )
        lines.append("| " + " | ".join(_cell(cell[:500]) for cell in cells) + " |")
    return lines


def _part(found, title: str, say: dict) -> list:
    """What the remedies came to, or the run beside the reference run; nothing where that was not asked for."""
    if not found:
        return []
    lines = ["", f"## {title}"]
    lines += ["", f"{say['reference'].capitalize()}: {_text(found['name'])}"] if found.get("name") else []
    for line in found.get("conclusion") or []:
        lines += ["", _text(line)]
    return lines + [line for piece in found.get("evidence") or [] for line in _evidence(piece)]


def _item(item: dict, say: dict, names: dict, with_evidence: bool) -> list:
    kind = item["conclusion"]
    lines = [
        f"## {MARKS[kind]} {_text(item['id'] + ' ' + item['title'])}",
        "",
        f"**{names[kind]}** {_text(item.get('summary') or '')}",
    ]
    if item.get("conflict"):
        lines += ["", f"⚠ {_text(item['conflict'])}"]
    if item.get("comment"):
        lines += ["", f"**{say['comment']}:** {_text(item['comment'])}"]
    places = [f"{p['file']}:{p['line']}" for p in item.get("locations") or [] if p.get("file")]
    if places:
        lines += ["", f"{say['places']}: " + " ".join(_code(place) for place in places[:12])]
    for key in ("would_decide", "advice"):
        if item.get(key):
            lines += ["", f"**{say[key]}:** {_text(item[key])}"]
    evidence = [line for piece in item.get("evidence") or [] for line in _evidence(piece)] if with_evidence else []
    if evidence:
        lines += ["", f"<details><summary>{say['evidence']}</summary>", "", *evidence, "", "</details>"]
    return lines


def _evidence(evidence: dict) -> list:
    kind, title = evidence.get("kind"), _text(evidence.get("title") or "")
    if kind == "text":
        return ["", f"**{title}:** {_text(evidence.get('text') or '')}"]
    if kind == "code":
        code = clean(evidence.get("code") or "").split("\n")[:_LINES]
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", "\n".join(code))), default=0))
        return ["", f"**{title}** {_code(str(evidence.get('file', '')))}", "", f"{fence}python", *code, fence]
    if kind == "table" and evidence.get("columns"):
        columns, rows = evidence["columns"], evidence.get("rows") or []
        body = ["| " + " | ".join(_cell(number(v)[:200]) for v in row) + " |" for row in rows[:_ROWS]]
        more = [f"(+ {len(rows) - _ROWS})"] if len(rows) > _ROWS else []
        head = "| " + " | ".join(_cell(str(name)) for name in columns) + " |"
        return ["", f"**{title}**", "", head, "|" + " --- |" * len(columns), *body, *more]
    return []


def _text(text) -> str:
    """Text without meaning in Markdown or HTML: no mention, no link, no heading, no tag."""
    plain = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = re.sub(r"([\\`*_{}\[\]|~!$])", r"\\\1", plain)
    # trackers look for mentions and numbers of issues after rendering: a comment of HTML parts them
    plain = re.sub(r"([@#])", r"\1<!-- -->", plain)
    return plain.replace("\r", "").replace("\n", "<br>")


def _cell(text: str) -> str:
    return _text(text).replace("\t", " ")


def _code(text: str) -> str:
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{clean(text)}{fence}".replace("\n", " ")
