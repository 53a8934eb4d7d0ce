"""A person's answers, read from a report, put together with findings concluded anew. Pure: dictionaries in and out."""

from msprec.report.form_reader import Entry, Form
from msprec.report.strings import CONCLUSIONS, words


def merge(checklist: dict, form: Form, lang: str) -> dict:
    """The findings with the person's answers in place.

    An item whose choice differs from what msprec had filled in, or that a person had answered before, keeps the person's
    conclusion (``answered_by: person``); its evidence is the new one, ``by_evidence`` its conclusion. Where the two differ and
    the evidence decides, ``conflict`` says so. Choosing "To be filled in" hands an item back to the evidence. ``comment`` holds
    what was typed in the item's field, and after it what was typed elsewhere in its section.

    Args:
        checklist: As of ``checklist.json``.
        form: As `read_form` gives it.
        lang: The language of the report to come.
    """
    merged = dict(checklist)
    for part in ("items", "beyond"):
        if part in checklist:
            merged[part] = [_merged(item, form.items.get(item["id"]), lang) for item in checklist[part]]
    remarks = _comment(form.general, lang)
    return {**merged, "remarks": remarks} if remarks else merged


def pictures(form: Form) -> dict:
    """The pictures that the person added, by item id."""
    entries = {**form.items, "general": form.general}
    return {item: entry.pictures for item, entry in entries.items() if entry.pictures}


def _merged(item: dict, entry, lang: str) -> dict:
    if entry is None:
        return item
    say, names = words(lang), CONCLUSIONS[lang]
    found, out = item["conclusion"], dict(item)
    comment = _comment(entry, lang)
    if comment:
        out["comment"] = comment
    if _is_answer(entry, found):
        out.update(conclusion=entry.chosen, answered_by="person", by_evidence=found)
        if found not in (entry.chosen, "undecided"):
            new = entry.evidence is not None and entry.evidence != found
            template = say["conflict_new" if new else "conflict"]
            out["conflict"] = template.format(answer=names[entry.chosen], evidence=names[found])
    elif entry.chosen == "undecided" and entry.shown not in (None, "undecided") and found != "undecided":
        out["conflict"] = say["handed_back"].format(evidence=names[found])
    return out


def _is_answer(entry: Entry, found: str) -> bool:
    """Whether the choice is a person's. Where the document no longer tells what was filled in: when it is not the tool's."""
    if entry.chosen in (None, "undecided"):
        return False
    if entry.shown is None:
        return entry.chosen != found
    return entry.chosen != entry.shown or entry.by == "person"


def _comment(entry: Entry, lang: str) -> str:
    say, parts = words(lang), [entry.comment]
    if entry.other is not None:
        parts.append(say["two_choices"].format(other=CONCLUSIONS[lang][entry.other]))
    new = [text for text in entry.typed if text not in entry.comment]
    if new:
        parts += [say["typed"], *new]
    return "\n".join(filter(None, parts))
