"""The numbers that conclusions rest on, with where each comes from. Users set them by name; facts never hold them.

They stand in the folder of their item as ``thresholds.toml``, a table each: value, meaning in both languages, and source:
``guide`` is MindSpore's guide for first location of accuracy problems, "ours" a choice of this project.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple, Optional

from msprec.bilingual import Text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Threshold(NamedTuple):
    """A number that conclusions rest on: ``name`` (``mp.01.return_rate``), value in the unit that its meaning gives, meaning
    in both languages, and where the number comes from."""

    name: str
    value: float
    meaning: Text
    source: str


class UnknownThreshold(ValueError):
    """A threshold was set by a name that does not exist, or to something that is no number."""


@cache
def thresholds_in(package: str, item_id: str) -> dict[str, Threshold]:
    """Those of the item whose folder is ``package``, by their whole names; an item without the file has none."""
    file = resources.files(package) / "thresholds.toml"
    if not file.is_file():
        return {}
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        f"{item_id}.{name}": Threshold(f"{item_id}.{name}", row["value"], Text(row["zh"], row["en"]), row["source"])
        for name, row in rows.items()
    }


def resolve_thresholds(defaults: Mapping[str, Threshold], chosen: Optional[Mapping] = None) -> dict[str, Threshold]:
    """The defaults with the user's values in place. Raises UnknownThreshold."""
    resolved = dict(defaults)
    for name, value in (chosen or {}).items():
        if name not in resolved:
            raise UnknownThreshold(f"there is no threshold {name!r}; known: {', '.join(sorted(defaults))}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise UnknownThreshold(f"threshold {name!r} must be a number, not {value!r}")
        resolved[name] = resolved[name]._replace(value=value, source="user")
    return resolved
