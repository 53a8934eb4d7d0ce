"""Holds what was written against the schema: unknown keys and wrong types, each with its file and the path of its key."""

import csv
import json
from pathlib import Path
from typing import Any

from msprec.record.schema import FACTS
from msprec.record.schema.notation import Choice, Key, Map, anything, count, finite, number, numeric_setting, words
from msprec.record.schema.outputs import CHECKLIST
from msprec.record.schema.run import RUN
from msprec.record.schema.streams import COMMON, EVENTS, GRADIENTS, SAVED_STEP, STEPS


def differences(value: Any, type: Any, path: str = "") -> list[str]:
    """What of a JSON value is not of its type: lines ``path: what is wrong``. Null is a value of every type."""
    if isinstance(type, Key):
        type = type.type
    if value is None:
        return []
    if isinstance(type, (dict, Map)):
        return _object(value, type, path) if isinstance(value, dict) else [f"{path}: no object: {value!r:.60}"]
    if isinstance(type, list):
        if not isinstance(value, list):
            return [f"{path}: no list: {value!r:.60}"]
        return [line for entry in value for line in differences(entry, type[0], f"{path}[]")]
    return [] if _is(value, type) else [f"{path}: no {_name(type)}: {value!r:.60}"]


def _object(value: dict, type: Any, path: str) -> list[str]:
    if isinstance(type, Map):
        return [line for name, entry in value.items() for line in differences(entry, type.type, f"{path}.*")]
    found = []
    for name, entry in value.items():
        here = f"{path}.{name}" if path else name
        found += differences(entry, type[name], here) if name in type else [f"{here}: not in the schema"]
    return found


def _is(value: Any, type: Any) -> bool:
    if type is anything:
        return True
    if type is numeric_setting:
        return isinstance(value, str) or number(value) is not None
    if type is words:
        return isinstance(value, str)
    if type is count:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if type is finite:
        # a writer may write NaN; who reads takes it as not observed
        type = number
    if isinstance(type, Choice) and not type.more:
        return value in type.words
    return type(value) is not None


def _name(type: Any) -> str:
    return f"one of {', '.join(type.words)}" if isinstance(type, Choice) else type.__name__


def folder_differences(folder: Path) -> list[str]:
    """What in a run folder is not of the schema: lines ``file: path of the key: what is wrong``, each once."""
    found: dict[str, None] = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder)
        if file.is_file() and not {"source", "reference", "also", "samples"} & set(name.parts):
            found.update(dict.fromkeys(f"{name}: {line}" for line in file_differences(file)))
    return list(found)


def file_differences(file: Path) -> list[str]:
    """The same of one file of a run folder; files of other kinds have none."""
    if file.parent.name == "facts":
        known = FACTS.get(file.stem)
        return ["not in the schema"] if known is None else differences(_json(file), known)
    if file.name == "events.jsonl":
        return [line for event in file.read_text("utf-8").splitlines() for line in event_differences(json.loads(event))]
    if file.name in _TABLES:
        return _table(file, _TABLES[file.name])
    return differences(_json(file), _DOCUMENTS[file.name]) if file.name in _DOCUMENTS else []


_DOCUMENTS = {"run.json": RUN, "checklist.json": CHECKLIST, "state.json": SAVED_STEP}
_TABLES = {"steps.csv": STEPS, "gradients.csv": GRADIENTS}


def event_differences(event: dict) -> list[str]:
    """The same of one event of ``events.jsonl``."""
    name = event.get("event")
    if name not in EVENTS:
        return [f"event {name}: not in the schema"]
    return differences(event, {**COMMON, **EVENTS[name].type}, str(name))


def _table(file: Path, columns: dict) -> list[str]:
    with open(file, encoding="utf-8", newline="") as lines:
        head, *rows = list(csv.reader(lines)) or [[]]
    if head != list(columns):
        return [f"columns {','.join(head)}, not those of the schema"]
    return [
        line
        for row in rows
        for (name, column), cell in zip(columns.items(), row)
        for line in differences(_cell(cell), column, name)
    ]


def _cell(cell: str) -> Any:
    """The value of a cell: as JSON has it, where it is a number; an empty one was not observed."""
    try:
        return json.loads(cell) if cell else None
    except ValueError:
        return cell


def _json(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))
