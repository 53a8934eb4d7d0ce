"""Moving statistics of a normalisation of one's own that are computed and thrown away (api.02)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import FunctionNode, bound_names, called_name, names_read, own_attribute

_FIXED = re.compile(r"\brequires_grad\s*=\s*False\b")


def lost_statistics(run_data: RunData) -> Optional[Finding]:
    """A problem where a method computes the next value of a Parameter that is not trained (``requires_grad=False``) into a local
    name that it never reads, and nothing in the class writes that Parameter, which another line reads: what is used when the
    network is evaluated is what it began with."""
    for file in sorted({file for file, _ in run_data.source.grep(_FIXED)}):
        for node in run_data.source.nodes(file, ast.ClassDef):
            kept = _kept(node)
            found = list(_lost(node, kept - _written(node))) if kept else []
            if found:
                return _finding(run_data, found[0][0], [place(file, line) for _, line in found])
    return None


def _finding(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{where} 计算了 {name} 的新值，但只存入局部变量、从未写回：评估时用的仍是初始值。",
            "{where} computes the next value of {name} into a local name and never writes it back: an evaluation uses what it "
            "began with.",
            where=at(places[0]),
            name=name,
        ),
        Text("用 ops.assign(self.{name}, …) 写回。", "Write it back: ops.assign(self.{name}, …).", name=name),
        run_data.code_at(places, Text("丢失的统计量", "The statistics that are lost")),
        places,
    )


def _kept(node: ast.ClassDef) -> set:
    """Attributes that are Parameters with ``requires_grad=False``."""
    stores = [one for one in ast.walk(node) if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)]
    made = [one for one in stores if called_name(one.value) == "Parameter"]  # type: ignore[arg-type]
    fixed = [
        one
        for one in made
        for word in one.value.keywords  # type: ignore[attr-defined]
        if word.arg == "requires_grad" and isinstance(word.value, ast.Constant) and word.value.value is False
    ]
    return {own_attribute(target) for one in fixed for target in one.targets} - {""}


def _written(node: ast.ClassDef) -> set:
    """Attributes that a call is given first, as ``assign`` is, or a method of which is called, or that are bound in a method."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    given = {own_attribute(one.args[0]) for one in calls if one.args and "assign" in called_name(one).lower()}
    asked = {
        own_attribute(one.func.value) for one in calls if isinstance(one.func, ast.Attribute) and _writes(one.func.attr)
    }
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name != "__init__"]
    stores = [one for method in methods for one in ast.walk(method) if isinstance(one, (ast.Assign, ast.AugAssign))]
    targets = [t for one in stores for t in (one.targets if isinstance(one, ast.Assign) else [one.target])]
    parts = [t.value if isinstance(t, ast.Subscript) else t for t in targets]
    return given | asked | set(map(own_attribute, parts))


def _writes(method: str) -> bool:
    return method in ("set_data", "assign_value", "copy_") or "assign" in method


def _lost(node: ast.ClassDef, kept: set) -> Iterator[tuple]:
    """``(attribute, line)`` of names that are computed from an attribute and never read."""
    for method in (one for one in node.body if isinstance(one, ast.FunctionDef)):
        read = names_read(ast.walk(method))
        for store in (one for one in ast.walk(method) if isinstance(one, ast.Assign)):
            from_kept = {own_attribute(one) for one in ast.walk(store.value) if isinstance(one, ast.Attribute)} & kept
            computed = isinstance(store.value, (ast.BinOp, ast.Call))
            local = computed and all(isinstance(target, ast.Name) for target in store.targets)
            lost = from_kept and local and not bound_names(store.targets) & read
            if lost and _read_elsewhere(method, store, from_kept):
                yield sorted(from_kept)[0], store.lineno


def _read_elsewhere(method: FunctionNode, store: ast.Assign, attributes: set) -> bool:
    inside = {id(one) for one in ast.walk(store)}
    others = [one for one in ast.walk(method) if isinstance(one, ast.Attribute) and id(one) not in inside]
    return any(own_attribute(one) in attributes for one in others)
