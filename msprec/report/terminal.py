"""The findings on the terminal: whether it learnt, the problems with place and fix, then one line for all else."""

from msprec.record.checklist_file import all_entries
from msprec.report.overview import ItemInBrief, overview
from msprec.report.strings import CONCLUSIONS, MARKS, PLAIN_MARKS, words

_STYLES = {"problem": "bold red", "undecided": "yellow"}


def print_table(checklist: dict, console, report_path=None) -> None:
    """Prints the conclusions to a rich ``console``, worst first, and the path of the report.

    ``checklist``: the dict of ``checklist.json``. Without a terminal the text is plain; a stream whose encoding lacks a sign
    is given another one.
    """
    _Printer(checklist, console).print(report_path)


class _Printer:
    def __init__(self, checklist: dict, console) -> None:
        self.checklist, self.console = checklist, console
        self.lang = "zh" if checklist.get("lang") == "zh" else "en"
        self.say, self.names = words(self.lang), CONCLUSIONS[self.lang]
        self.encoding = getattr(console.file, "encoding", None) or "utf-8"
        self.marks = {kind: _sign(mark, PLAIN_MARKS[kind], self.encoding) for kind, mark in MARKS.items()}
        self.warning = _sign("⚠", "!", self.encoding)

    def print(self, report_path) -> None:
        found = overview(self.checklist, self.lang, short=False)
        self.line("")
        if found.outcome:
            self.line(found.outcome, style="bold")
        for one in found.problems:
            self._problem(one)
        for item in all_entries(self.checklist):
            if item.get("conflict"):
                self.line(f"{self.warning} {item['id']} {item['title']}: {item['conflict']}", style="yellow")
        rest = self._rest()
        if rest:
            self.line(rest)
        for ids, text, fix in found.groups:
            self.line(f"{len(ids)} × {text} {fix}" if len(found.groups) > 1 else f"{text} {fix}", indent=2)
        if report_path is not None:
            self.line(f"{self.say['report']}: {report_path}", soft_wrap=True)

    def _problem(self, one: ItemInBrief) -> None:
        self.line(f"{self.marks['problem']} {one.id} {one.title}", style=_STYLES["problem"])
        self.line(one.text, indent=2)
        if one.place:
            self.line(one.place, indent=2, style="cyan", soft_wrap=True)
        if one.fix:
            self.line(f"{self.say['fix_short']}: {one.fix}", indent=2)

    def _rest(self) -> str:
        """One line for all that is no problem."""
        items = all_entries(self.checklist)
        parts = []
        for kind in ("undecided", "ok", "not_applicable"):
            ids = [item["id"] for item in items if item["conclusion"] == kind]
            if ids:
                parts.append(f"{self.marks[kind]} {self.names[kind]}: {' '.join(ids)}")
        return "  ".join(parts)

    def line(self, text: str, indent: int = 0, style: str = "", soft_wrap: bool = False) -> None:
        """One paragraph, broken to the width; with ``soft_wrap`` in one piece, as a person copies it."""
        from rich.text import Text

        shown = Text(text.encode(self.encoding, "replace").decode(self.encoding), style=style)
        pieces = [shown] if soft_wrap else shown.wrap(self.console, max(20, self.console.width - indent))
        for piece in pieces:
            piece.rstrip()
            self.console.print(Text(" " * indent) + piece, soft_wrap=True)


def _sign(sign: str, plain: str, encoding: str) -> str:
    try:
        sign.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return plain
    return sign
