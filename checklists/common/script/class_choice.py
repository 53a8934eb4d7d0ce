"""Where the class of a cell that another line makes is chosen: ``act = nn.Sigmoid`` and, further down, ``act()``."""

import ast
import re
from typing import Optional

from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.module import last_name


def chosen_at(run_data: RunData, made: Optional[Fact], name: str) -> list:
    """At most two lines that name a class and do not call it, and three that name an activation as MindSpore's layers take it,
    ``"relu"``, or by the key of a dictionary that holds the class.

    None where the line that makes the cell names it itself, and no dictionary holds it.

    Args:
        run_data: The run.
        made: Where the cell is made.
        name: Of its class.
    """
    if not made:
        return []
    named, held = re.escape(name), _keys(run_data, name)
    if run_data.matches_at(rf"(?i)\b{named}\b", made) and not held:
        return []
    keys = "|".join(map(re.escape, [name, *held]))
    told = run_data.find_lines(rf"(?i)['\"]({keys})['\"](?!\s*:)", 3) if name else []
    return run_data.find_lines(rf"^(?!\s*(from|import)\b).*\b{named}\b(?!\s*\()", 2) + told


def _keys(run_data: RunData, name: str) -> list:
    """The keys by which dictionaries of the script hold a class."""
    dictionaries = [one for file in run_data.source.trees for one in run_data.source.nodes(file, ast.Dict)]
    pairs = [pair for one in dictionaries for pair in zip(one.keys, one.values)]
    held = [key for key, value in pairs if isinstance(value, (ast.Name, ast.Attribute)) and last_name(value) == name]
    return [key.value for key in held if isinstance(key, ast.Constant) and isinstance(key.value, str)]


def conditions_at(run_data: RunData, made: Optional[Fact]) -> list:
    """The conditions in the loop around a line that makes a cell: a loop that makes layers decides by them which activation
    stands where."""
    around = run_data.source.enclosing(made.file, made.line) if made and made.file and made.line else []
    loops = [one for one in around if isinstance(one, (ast.For, ast.While))]
    inside = [one for one in ast.walk(loops[-1]) if isinstance(one, (ast.If, ast.IfExp))] if loops else []
    return [place(made.file, one.lineno) for one in inside] if made else []


def built_by(run_data: RunData, made: Optional[Fact]) -> list:
    """At most two lines that call the function of the script's that makes a cell, with the settings that it makes it by; empty of
    a cell that is made in another cell."""
    around = run_data.source.enclosing(made.file, made.line) if made and made.file and made.line else []
    functions = [one for one in around if isinstance(one, ast.FunctionDef)]
    if not functions or any(isinstance(one, ast.ClassDef) for one in around):
        return []
    calls = run_data.source.calls_anywhere((functions[0].name,))
    return [place(file, call.lineno) for file, call in calls if call.args or call.keywords][:2]
