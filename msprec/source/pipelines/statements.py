"""Imports, conditions, loops and assignments as far as they are about data sets."""

import ast
import re
from typing import Any, Optional

from msprec.source.interpreter import Env, Function, Interpreter
from msprec.source.module import loaded
from msprec.source.pipelines.values import (
    Batches,
    Data,
    Instance,
    Pipe,
    Table,
    calculate,
    compute,
    is_plain,
    key_text,
    plain_truth,
)
from msprec.source.values import UNKNOWN

_UNROLLED = 16


class Statements(Interpreter):
    """The part of the reader (`reader.Reader`) that this module is about."""

    def do_import(self, node: ast.Import, env: Env) -> None:
        for alias in node.names:
            top = alias.name.split(".")[0]
            env.names[alias.asname or top] = self._imported(alias.name if alias.asname else top, env.scope.module)

    def do_importfrom(self, node: ast.ImportFrom, env: Env) -> None:
        module = env.scope.module
        home = module.absolute(node.module, node.level)
        for alias in node.names:
            if alias.name != "*":
                env.names[alias.asname or alias.name] = self._imported(f"{home}.{alias.name}", module)

    def do_augassign(self, node: ast.AugAssign, env: Env) -> None:
        before, value = self.eval(loaded(node.target), env), self.eval(node.value, env)
        if isinstance(before, Data):
            value = calculate(type(node.op).__name__, before, value)
        elif type(before) is tuple and type(value) is tuple and isinstance(node.op, ast.Add):
            value = before + value
        else:
            value = compute(node.op, before, value)
        self.assign(node.target, value, env)

    def decorated(self, function: Function, node: ast.FunctionDef, env: Env) -> Any:
        plain = all(re.search(r"jit|ms_function", ast.unparse(decorator)) for decorator in node.decorator_list)
        return function if plain else UNKNOWN

    def condition(self, test: ast.expr, node: ast.AST, env: Env) -> tuple:
        return self._truth(test, env), None

    def _truth(self, test: ast.expr, env: Env) -> Optional[bool]:
        if isinstance(test, ast.Compare) and "__name__" in ast.dump(test):
            return env.scope.module is self.entry
        known = plain_truth(self.eval(test, env))
        if known is not None:
            return known
        stated = self.values.of(test, env.scope)
        return plain_truth(stated) if stated is not UNKNOWN else None

    def undecided(self, node: ast.If, test: Any, env: Env) -> None:
        self.doubts += 1
        try:
            super().undecided(node, test, env)
        finally:
            self.doubts -= 1

    def rounds(self, value: Any) -> Optional[tuple]:
        return value if type(value) is tuple and len(value) <= _UNROLLED else None

    def loop(self, node, through: Any, env: Env) -> None:
        before = len(self.modes)
        super().loop(node, Batches(through) if isinstance(through, Pipe) else through, env)
        called = any(mode.what in ("call", "predict", "eval") for mode in self.modes[before:])
        self._looped(through, node, called, *node.body)

    def state(self, env: Env) -> list:
        return [env.names, self.heap]

    def restore(self, state: list, env: Env) -> None:
        env.names, self.heap = state

    def set_attribute(self, base: Any, name: str, value: Any) -> None:
        if isinstance(base, Instance):
            self.heap[base, name] = value

    def set_item(self, target: ast.Subscript, value: Any, env: Env) -> None:
        base = self.eval(target.value, env)
        if isinstance(base, Data):
            self.assign(target.value, base._replace(steps=(*base.steps, f"set {key_text(value)}")), env)
        elif isinstance(base, Table):
            key = self.eval(target.slice, env)
            parts = {**dict(base.parts), key: value} if is_plain(key) else None
            self.assign(target.value, Table(tuple(parts.items())) if parts is not None else UNKNOWN, env)
        elif type(base) is tuple:
            self.assign(target.value, UNKNOWN, env)
