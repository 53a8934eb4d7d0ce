"""The signatures of MindSpore's and PyTorch's public names: parameters in order, with their defaults, by version.

They come from `signatures.json`, which `msprec.source.build_signatures` reads from the packages' own source (nothing is
imported); a test holds it against the installed MindSpore. The same call so resolves alike on any machine.
"""

import ast
import json
from functools import cache
from importlib import resources
from typing import Any, NamedTuple, Optional

from msprec.source.module import Scope
from msprec.source.project import Callee, Project
from msprec.source.values import UNKNOWN, Values

#: Stands for the default of a parameter that has none.
REQUIRED = "<required>"


class Argument(NamedTuple):
    """An effective argument of a call: its value (or UNKNOWN), whether it was given, its text, its line (0: a default), and
    the expression that was read (None: a default, or a value that a run recorded)."""

    value: Any
    given: bool
    code: str
    line: int
    node: Optional[ast.AST] = None


def signature(name: str, version: Optional[str] = None) -> Optional[list]:
    """[(parameter, default)] of a public name; ``*args`` and ``**kwargs`` keep their stars; None when it is not known.

    A default that is no literal is the text of its expression in a one-entry dictionary: ``{"code": "mstype.float32"}``.
    """
    entry = _table().get(name)
    if entry is None:
        return None
    known = entry[_nearest(version, list(entry))]
    return [(part[0], part[1] if len(part) > 1 else REQUIRED) for part in known]


def versions(framework: str = "mindspore") -> list:
    """The versions whose signatures are known, oldest first."""
    return _document()["versions"][framework]


def arguments(
    project: Project, values: Values, callee: Callee, call: ast.Call, scope: Scope, version: Optional[str] = None
) -> Optional[dict]:
    """The effective arguments of a call by parameter; None when the signature is not known.

    A call with ``*args`` or ``**kwargs`` of unknown content leaves whatever they may set UNKNOWN.
    """
    known = signature(callee.name, version)
    if known is None:
        return None
    open_ended = any(keyword.arg is None for keyword in call.keywords)
    found = {name: _default(default, open_ended) for name, default in known}
    order = [name for name, _ in known if not name.startswith("*")]
    for number, node in enumerate([*callee.args, *call.args]):
        if isinstance(node, ast.Starred):
            for name in order[number:]:
                found[name] = Argument(UNKNOWN, False, ast.unparse(node), call.lineno)
            break
        if number < len(order):
            found[order[number]] = _given(values, node, scope)
    for keyword in (*callee.keywords, *call.keywords):
        if keyword.arg is not None:
            found[keyword.arg] = _given(values, keyword.value, scope)
            continue
        inner = values.of(keyword.value, scope)
        for name, value in getattr(inner, "values", {}).items():
            found[name] = Argument(value, True, ast.unparse(keyword.value), call.lineno)
    return found


def _given(values: Values, node: ast.AST, scope: Scope) -> Argument:
    return Argument(values.of(node, scope), True, ast.unparse(node), getattr(node, "lineno", 0), node)


def _default(default: Any, open_ended: bool) -> Argument:
    if open_ended:
        return Argument(UNKNOWN, False, "**", 0)
    if isinstance(default, dict) or default == REQUIRED:
        default = default if isinstance(default, dict) else {}
        return Argument(UNKNOWN, False, default.get("code", ""), 0)
    if isinstance(default, list):
        default = tuple(default)
    return Argument(default, False, repr(default), 0)


def _nearest(version: Optional[str], known: list) -> str:
    """The newest known version that is not newer than the one asked for; else the oldest."""
    ordered = sorted(known, key=numbers_of)
    if version is None:
        return ordered[-1]
    older = [entry for entry in ordered if numbers_of(entry) <= numbers_of(version)]
    return older[-1] if older else ordered[0]


def numbers_of(version: str) -> tuple:
    """``"2.7.1"`` as (2, 7, 1), to be put in order."""
    return tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:3])


@cache
def _document() -> dict:
    return json.loads((resources.files("msprec.source") / "signatures.json").read_text(encoding="utf-8"))


@cache
def _table() -> dict:
    return _document()["signatures"]
