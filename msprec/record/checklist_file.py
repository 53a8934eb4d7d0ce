"""``checklist.json``: written as strict JSON, and its entries (the guide's items, and those of families beyond it)."""

import json
from pathlib import Path
from typing import Union


def as_json(checklist: dict) -> str:
    """The checklist as strict JSON."""
    return json.dumps(checklist, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write_checklist(checklist: dict, path: Union[str, Path]) -> None:
    """Write the checklist as strict UTF-8 JSON. Raises OSError where the file cannot be written."""
    Path(path).write_text(as_json(checklist), encoding="utf-8", errors="backslashreplace")


def all_entries(checklist: dict) -> list:
    """All entries: the guide's in its order, then those beyond it; a document without ``beyond`` has none of these."""
    return [*checklist["items"], *(checklist.get("beyond") or ())]


def by_family(checklist: dict) -> list[tuple[str, list]]:
    """The entries by family, ``(family id, entries)`` in the document's order."""
    families: dict[str, list] = {}
    for entry in all_entries(checklist):
        families.setdefault(family_id(entry), []).append(entry)
    return list(families.items())


def family_id(entry: dict) -> str:
    """The family of an entry, what its id begins with."""
    return entry["id"].split(".")[0]
