"""The parts of a transition that a script keeps in a memory, and the names that it takes them out by (td.05)."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.module import last_name
from msprec.source.user_code import called_name, own_nodes

#: Calls that put a transition into a memory, and its parts at least.
_KEEPS, _TRANSITION = ("append", "add", "push", "store"), 4
#: Roles that names have to tell before what is kept is a transition: ``r, c, s`` are rows, columns and sizes elsewhere.
_ROLES_TOLD = 3
_STATE = r"(s|states?|obs|observations?)"
_ROLES = {
    "end": r"(is_?)?(dones?|terminals?|terminated|ended)(_?flags?)?",
    "next": rf"(next|nxt|new|following|after)(_?{_STATE})?|{_STATE}(2|_?next|_?prime|_)",
    "action": r"a|acts?|actions?",
    "reward": r"r|rews?|rewards?",
    "state": rf"{_STATE}|current(_?{_STATE})?",
}
_WORDS = {
    "end": Text("结束标志", "the flag of the end"),
    "next": Text("下一状态", "the next state"),
    "action": Text("动作", "the action"),
    "reward": Text("奖励", "the reward"),
    "state": Text("状态", "the state"),
}
_BATCH = re.compile(r"^(batch|mb|b)_|_?(batch|_t|_b)$")


class Taken(NamedTuple):
    """A part of kept transitions: the name that it is given, what it is by its place in them, and the line."""

    name: str
    role: str
    line: int


def role_of(name: str) -> str:
    """What a name says a part of a transition is: end, next, action, reward or state; empty where it says none."""
    plain = _BATCH.sub("", name.lower())
    return next((role for role, pattern in _ROLES.items() if re.fullmatch(pattern, plain)), "")


def taken_parts(run_data: RunData, file: str, nodes: list) -> list:
    """The `Taken` parts of what some nodes of a file bind: ``s, a, r, s2, d = zip(*rows)``, ``a = rows[:, 1]`` and
    ``a = [row[1] for row in memory]``."""
    roles, memories = run_data.once(_all_kept)[file]
    stores = [one for one in nodes if isinstance(one, ast.Assign)] if roles else []
    known = memories | _rows(stores, memories)
    found = []
    for store in stores:
        target = store.targets[0]
        if isinstance(target, ast.Tuple):
            held = roles.get(len(target.elts), {}) if _calls(store.value, "zip") else {}
            found += [Taken(last_name(target.elts[at]), role, store.lineno) for at, role in held.items()]
        elif isinstance(target, ast.Name):
            reads = list(_columns(store.value, known))
            told = {parts[reads[0]] for parts in roles.values() if reads[0] in parts} if len(reads) == 1 else set()
            found += [Taken(target.id, role, store.lineno) for role in told if len(told) == 1]
    return [one for one in found if one.name]


def crossed_parts(run_data: RunData) -> Optional[Finding]:
    """A problem where a part of the transitions that a script keeps is taken out under the name of another: ``action =
    rows[:, 4]``, where the flag of the end was put there."""
    for file in sorted(run_data.source.trees):
        if not run_data.once(_all_kept)[file][0]:
            continue
        tree = run_data.source.trees[file]
        scopes = [own_nodes(tree), *map(own_nodes, run_data.source.nodes(file, ast.FunctionDef))]
        for one in (part for nodes in scopes for part in taken_parts(run_data, file, list(nodes))):
            named = role_of(one.name)
            if named and named != one.role:
                where = place(file, one.line)
                return problem(
                    Text(
                        "{where} 以 {name}（{named}）之名取出的，是存入时的另一部分：那个位置存的是 {role}。",
                        "What {where} takes out as {name} ({named}) is another part of what was kept: {role} was put there.",
                        where=at(where),
                        name=one.name,
                        named=_WORDS[named],
                        role=_WORDS[one.role],
                    ),
                    Text("按存入的次序取出各部分。", "Take the parts out in the order in which they were put there."),
                    [run_data.code_at([where], Text("取出之处", "Where it is taken out"))],
                    [where],
                )
    return None


def _all_kept(run_data: RunData) -> dict:
    """``{file: what _kept gives of it}``."""
    return {file: _kept(run_data, file) for file in run_data.source.trees}


def _kept(run_data: RunData, file: str) -> tuple:
    """``({parts of a transition: {position: role}}, names of what keeps them)``; no role where two calls differ in it."""
    roles: dict = {}
    memories = set()
    for call in run_data.source.calls_named(file, _KEEPS):
        whole = len(call.args) == 1 and isinstance(call.args[0], (ast.Tuple, ast.List))
        given = call.args[0].elts if whole else call.args
        told = {at: role_of(_named(one)) for at, one in enumerate(given)}
        roles_told = set(told.values()) - {""}
        if len(given) < _TRANSITION or len(roles_told) < _ROLES_TOLD or not {"reward", "end"} & roles_told:
            continue
        if isinstance(call.func, ast.Attribute):
            memories.add(last_name(call.func.value))
        before = roles.setdefault(len(given), told)
        roles[len(given)] = {at: role for at, role in told.items() if role and before.get(at) == role}
    return roles, memories - {""}


def _named(node: ast.expr) -> str:
    """The name that stands in an expression, alone or within calls of one thing: ``float(done)``; else an empty text."""
    while isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    return last_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _rows(stores: list, memories: set) -> set:
    """Names of some of what the memories keep, its parts together: ``rows = random.sample(memory, 32)``."""
    found: set = set()
    for _ in range(2):
        for store in stores:
            known = memories | found
            target = store.targets[0]
            if (
                isinstance(target, ast.Name)
                and _mentions(store.value, known)
                and not list(_columns(store.value, known))
            ):
                found.add(target.id)
    return found


def _columns(node: ast.AST, known: set) -> Iterator[int]:
    """The positions of the parts that are read in an expression: ``rows[:, 1]``, ``[row[1] for row in memory]``."""
    single = set()
    for one in ast.walk(node):
        if isinstance(one, ast.comprehension) and isinstance(one.target, ast.Name) and _mentions(one.iter, known):
            single.add(one.target.id)
    for one in ast.walk(node):
        if not isinstance(one, ast.Subscript) or not isinstance(one.value, (ast.Name, ast.Attribute)):
            continue
        whole = (
            isinstance(one.slice, ast.Tuple) and len(one.slice.elts) == 2 and isinstance(one.slice.elts[0], ast.Slice)
        )
        at = one.slice.elts[1] if whole else one.slice  # type: ignore[attr-defined]
        if (
            last_name(one.value) in (known if whole else single)
            and isinstance(at, ast.Constant)
            and type(at.value) is int
        ):
            yield at.value


def _mentions(node: ast.AST, names: set) -> bool:
    return any(isinstance(one, (ast.Name, ast.Attribute)) and last_name(one) in names for one in ast.walk(node))


def _calls(node: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Call) and called_name(one) == name for one in ast.walk(node))
