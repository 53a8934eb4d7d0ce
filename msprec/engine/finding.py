"""What a check returns: one Finding with its evidence. Nothing here decides anything."""

from collections.abc import Iterable
from typing import Optional

from msprec.bilingual import Joined, Text, plain, yes_no

CONCLUSIONS = ("problem", "undecided", "ok", "not_applicable")  # worst first


class Evidence:
    """One piece of evidence: ``kind`` is text, code, table or figure; ``body`` holds the keys of SCHEMA.md."""

    def __init__(self, kind: str, title: Text, source: str = "run", **body):
        self.kind, self.title, self.source, self.body = kind, title, source, body

    def as_dict(self, lang: str) -> dict:
        """An entry of ``evidence`` in checklist.json, its texts in ``lang`` ("zh" or "en")."""
        head = {"kind": self.kind, "source": self.source, "title": self.title}
        return {key: plain(value, lang) for key, value in {**head, **self.body}.items()}


def text(title: Text, body: Text, source: str = "run") -> Evidence:
    """A paragraph; ``source``: "run" for what was recorded, "script" for what was read."""
    return Evidence("text", title, source, text=body)


def table(title: Text, columns: list, rows: list, note: Optional[Text] = None, most: int = 60) -> Evidence:
    """A table; of a long one only the first ``most`` rows, and the note says so. True and False read yes and no."""
    if len(rows) > most:
        cut = Text("仅列出前 {most} 行，共 {n} 行。", "The first {most} of {n} rows.", most=most, n=len(rows))
        note = cut if note is None else Text("{note}{cut}", "{note} {cut}", note=note, cut=cut)
    return Evidence("table", title, columns=columns, rows=[list(map(yes_no, row)) for row in rows[:most]], note=note)


def figure(title: Text, name: str, data: dict) -> Evidence:
    """A figure by the name under which a report draws it (`msprec.report`), with the numbers to draw."""
    return Evidence("figure", title, figure=name, data=data)


class Finding:
    """The conclusion on one item.

    Attributes:
        conclusion: One of `CONCLUSIONS`.
        summary: One or two sentences for the form.
        evidence: `Evidence`; may be given with None and lists in it, which are left out and unpacked.
        locations: ``{"file", "line"}`` of each known place that was given, once.
        would_decide: Of an undecided item, what would decide it.
        advice: Of a problem, how to fix it.
    """

    def __init__(self, conclusion: str, summary: Text, evidence=(), locations=(), would_decide=None, advice=None):
        self.conclusion, self.summary = conclusion, summary
        self.evidence = list(_flat(evidence))
        self.locations = _distinct(locations)
        self.would_decide, self.advice = would_decide, advice


def problem(summary: Text, advice: Text, evidence=(), locations=()) -> Finding:
    """Something is wrong; ``advice``: how to fix it."""
    return Finding("problem", summary, evidence, locations, advice=advice)


def ok(summary: Text, evidence=(), locations=()) -> Finding:
    """Nothing is wrong, as the evidence shows."""
    return Finding("ok", summary, evidence, locations)


def not_applicable(summary: Text, evidence=(), locations=()) -> Finding:
    """The training has nothing that the item is about."""
    return Finding("not_applicable", summary, evidence, locations)


def undecided(summary: Text, would_decide: Text, evidence=(), locations=()) -> Finding:
    """The evidence does not decide; ``would_decide``: what would."""
    return Finding("undecided", summary, evidence, locations, would_decide=would_decide)


def worst(findings: Iterable[Finding]) -> Finding:
    """Of several findings (one a data set, one a rank) the one to report: the first of the worst. ValueError for none."""
    return min(findings, key=lambda finding: CONCLUSIONS.index(finding.conclusion))


def together(findings: Iterable[Finding]) -> Finding:
    """Of several findings on different things the problems as one, each that names a place of its own; else the worst of them.

    ValueError for none.
    """
    findings = list(findings)
    told: list[Finding] = []
    for one in findings:
        if one.conclusion == "problem" and (not told or _elsewhere(one, told)):
            told.append(one)
    if len(told) < 2:
        return worst(findings)
    shown = {id(piece): piece for one in told for piece in one.evidence}  # what several show is shown once
    found = problem(Joined([one.summary for one in told]), Joined([one.advice for one in told]), list(shown.values()))
    found.locations = list({(at["file"], at["line"]): at for one in told for at in one.locations}.values())
    return found


def _elsewhere(finding: Finding, told: list) -> bool:
    """Whether it names a place that none of the others does."""
    known = [place for one in told for place in one.locations]
    return any(place not in known for place in finding.locations)


def _flat(evidence):
    for piece in evidence:
        if isinstance(piece, (list, tuple)):
            yield from _flat(piece)
        elif piece is not None:
            yield piece


def _distinct(places) -> list:
    """The places that are known, each once, as plain dictionaries."""
    known = {(place.file, place.line): place for place in places if place and place.file}
    return [{"file": file, "line": line} for file, line in known]
