"""The findings as JUnit's XML, for continuous integration: an item is a test case, a problem is a failure."""

from xml.sax.saxutils import escape, quoteattr

from msprec.record.checklist_file import all_entries, family_id
from msprec.report.overview import in_order
from msprec.report.plain_text import clean
from msprec.report.strings import CONCLUSIONS, family_titles


def as_junit(checklist: dict) -> str:
    """The document as text. What is left to a person, or does not apply, counts as skipped."""
    lang = "zh" if checklist.get("lang") == "zh" else "en"
    items, names, titles = all_entries(checklist), CONCLUSIONS[lang], family_titles(checklist, lang)
    failures = sum(item["conclusion"] == "problem" for item in items)
    skipped = sum(item["conclusion"] in ("undecided", "not_applicable") for item in items)
    counts = f'tests="{len(items)}" failures="{failures}" errors="0" skipped="{skipped}" time="0"'
    known = ("problem", "undecided")
    ordered = [item for kind in known for item in in_order(checklist, kind)]
    ordered += [item for item in items if item["conclusion"] not in known]
    cases = "".join(_case(item, titles, names) for item in ordered)
    outcome = (checklist.get("outcome") or {}).get("text")
    if outcome:
        cases = f'  <properties><property name="outcome" value={_attribute(outcome)}/></properties>\n{cases}'
    stamp = f" timestamp={_attribute(checklist['generated'])}" if checklist.get("generated") else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
        f'<testsuite name="msprec" {counts}{stamp}>\n{cases}</testsuite>\n</testsuites>\n'
    )


def _case(item: dict, titles: dict, names: dict) -> str:
    family, kind = family_id(item), item["conclusion"]
    places = [p for p in item.get("locations") or [] if p.get("file")]
    head = f"  <testcase classname={_attribute(f'msprec.{family} ' + titles[family])}"
    head += f' name={_attribute(item["id"] + " " + item["title"])} time="0"'
    if places:
        head += f' file={_attribute(places[0]["file"])} line="{int(places[0].get("line") or 0)}"'
    message = _attribute(f"{names[kind]}: {item.get('summary') or ''}")
    if kind == "problem":
        lines = [
            item.get("summary"),
            *(f"{p['file']}:{p.get('line')}" for p in places),
            item.get("advice"),
            item.get("comment"),
        ]
        body = escape(clean("\n".join(str(line) for line in lines if line)))
        return f'{head}>\n    <failure type="problem" message={message}>{body}</failure>\n  </testcase>\n'
    if kind in ("undecided", "not_applicable"):
        return f"{head}>\n    <skipped message={message}/>\n  </testcase>\n"
    return f"{head}/>\n"


def _attribute(text) -> str:
    return quoteattr(clean(text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})
