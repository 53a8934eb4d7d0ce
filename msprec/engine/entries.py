"""The entries of a checklist (the dict of ``checklist.json``): the guide's items, and those of families beyond it."""


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
