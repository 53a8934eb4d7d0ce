"""Writes SCHEMA.md from the schema in code: ``python -m msprec.record.write_schema``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msprec.record.schema import (
    CHECKLIST,
    COMMON,
    DUMP_INDEX,
    DUMP_TENSOR,
    EVENTS,
    FACTS,
    GRADIENTS,
    REFERENCE_RUN,
    RUN,
    SAVED_STEP,
    STEPS,
    Choice,
    Key,
    Map,
    Shape,
)

SCHEMA_MD = Path(__file__).with_name("SCHEMA.md")
#: The prose of SCHEMA.md: its parts by heading; what stands in none comes first.
PROSE = Path(__file__).with_name("schema") / "prose.md"

_TYPE_NAMES = {
    "number": "number",
    "finite": "finite number",
    "numeric_setting": "number or text",
    "count": "count",
    "text": "text",
    "words": "text",
    "flag": "true or false",
    "anything": "any value",
}


def schema_md() -> str:
    """The text of SCHEMA.md."""
    prose = _prose()
    shapes: dict[str, Shape] = {}
    parts = [("run.json", RUN), *((f"facts/{name}.json", shape) for name, shape in FACTS.items())]
    tables = [("rank_N/steps.csv", STEPS), ("rank_N/gradients.csv", GRADIENTS)]
    lines = [prose.pop("")]
    for title, shape in parts:
        lines += _part(f"## {title}", prose.pop(title, ""), shape, shapes)
    for title, columns in tables:
        lines += [*_part(f"## {title}", prose.pop(title, ""), columns, shapes)]
    lines += _part("## rank_N/events.jsonl", prose.pop("rank_N/events.jsonl", ""), COMMON, shapes)
    for name, event in EVENTS.items():
        lines += [f"Event `{name}`: {event.meaning}", "", *_keys(event.type, shapes), ""]
    lines += _part("## rank_N/nonfinite/state.json", prose.pop("rank_N/nonfinite/state.json", ""), SAVED_STEP, shapes)
    lines += _part("## checklist.json", prose.pop("checklist.json", ""), CHECKLIST, shapes)
    lines += _part("## DUMP/msprec_dump.json", prose.pop("DUMP/msprec_dump.json", ""), DUMP_INDEX, shapes)
    lines += _part("## DUMP/step_N/tensors.jsonl", prose.pop("DUMP/step_N/tensors.jsonl", ""), DUMP_TENSOR, shapes)
    lines += ["## Objects that stand in several places", ""]
    for title, shape in _all_shapes(shapes):
        lines += _part(f"### {title}", "", shape, shapes)
    if prose:
        raise ValueError(f"prose of parts that are not there: {', '.join(prose)}")
    return "\n".join(lines).rstrip() + "\n"


def _prose() -> dict[str, str]:
    """The parts of the prose by heading, each ending with an empty line."""
    first, *parts = PROSE.read_text(encoding="utf-8").split("\n## ")
    headed = dict(part.split("\n", 1) for part in parts)
    return {"": first.strip() + "\n", **{title: text.strip() + "\n" for title, text in headed.items()}}


def _part(title: str, prose: str, shape: dict, shapes: dict[str, Shape]) -> list[str]:
    return [title, "", *([prose] if prose else []), *_keys(shape, shapes), ""]


def _keys(shape: dict, shapes: dict[str, Shape], depth: int = 0) -> Iterator[str]:
    """A line a key, those of objects in it below it; objects with a name go to ``shapes``, those of another file stay there."""
    for name, key in shape.items():
        meaning = f": {key.meaning}" if key.meaning else ""
        yield f"{'  ' * depth}- `{name}` ({_named(key.type, shapes)}){meaning}"
        inner = _inner(key.type)
        if (
            isinstance(inner, dict)
            and not isinstance(inner, Shape)
            and (shape is not REFERENCE_RUN or name == "course")
        ):
            yield from _keys(inner, shapes, depth + 1)


def _inner(type: Any) -> Any:
    """The type of what a list or a Map holds in the end."""
    while isinstance(type, (list, Map, Key)):
        type = type[0] if isinstance(type, list) else type.type
    return type


def _named(type: Any, shapes: dict[str, Shape]) -> str:
    if isinstance(type, list):
        return f"list of: {_named(type[0], shapes)}"
    if isinstance(type, Map):
        return f"object of free keys, each: {_named(type.type, shapes)}"
    if isinstance(type, Shape):
        shapes[type.name] = type
        return f"{type.name}, see below"
    if isinstance(type, dict):
        return "object"
    if isinstance(type, Choice):
        return " | ".join(f'"{word}"' for word in type.words) + (" | …" if type.more else "")
    return _TYPE_NAMES[type.__name__]


def _all_shapes(shapes: dict[str, Shape]) -> Iterator[tuple[str, Shape]]:
    """The named objects; writing one may name others, which follow."""
    done: set[str] = set()
    while left := [name for name in shapes if name not in done]:
        for name in left:
            done.add(name)
            yield name, shapes[name]


if __name__ == "__main__":
    SCHEMA_MD.write_text(schema_md(), encoding="utf-8")
