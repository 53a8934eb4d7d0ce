"""The table of conclusions on the terminal: problems, then what is left to a person, then the rest in one line."""

from msprec.record.checklist_file import all_entries
from msprec.report.strings import CONCLUSIONS, MARKS, words

_STYLES = {"problem": "bold red", "undecided": "yellow"}


def _place(item: dict) -> str:
    places = [f"{p['file']}:{p['line']}" for p in item.get("locations", ())[:3] if p.get("file")]
    return " ".join(places)


def print_table(checklist: dict, console, report_path=None) -> None:
    """Prints the conclusions to a rich ``console``, worst first, and the path of the report.

    ``checklist``: the dict of ``checklist.json``. Without a terminal the text is plain.
    """
    from rich.table import Table
    from rich.text import Text

    lang = checklist.get("lang", "en")
    say, names = words(lang), CONCLUSIONS["zh" if lang == "zh" else "en"]
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    items = all_entries(checklist)
    for kind in ("problem", "undecided"):
        for item in items:
            if item["conclusion"] != kind:
                continue
            text = Text(item["title"], style="bold")
            text.append("\n" + (item.get("summary") or ""), style="not bold")
            place = _place(item)
            if place:
                text.append(f"\n{place}", style="not bold cyan")
            if item.get("conflict"):
                text.append(f"\n⚠ {item['conflict']}", style="not bold yellow")
            table.add_row(Text(f"{MARKS[kind]} {names[kind]}", style=_STYLES[kind]), item["id"], text)
    console.print()
    if table.row_count:
        console.print(table)
    for item in items:
        if item.get("conflict") and item["conclusion"] not in ("problem", "undecided"):
            console.print(Text(f"⚠ {item['id']} {item['title']}: {item['conflict']}", style="yellow"), soft_wrap=True)
    rest = {kind: [i["id"] for i in items if i["conclusion"] == kind] for kind in ("ok", "not_applicable")}
    count = sum(map(len, rest.values()))
    if count:
        folded = say["folded"].format(
            count=count, ok=" ".join(rest["ok"]) or say["none"], na=" ".join(rest["not_applicable"]) or say["none"]
        )
        console.print(Text(folded), soft_wrap=True)
    if report_path is not None:
        console.print(Text(f"{say['report']}: {report_path}"), soft_wrap=True)
