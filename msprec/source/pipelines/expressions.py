"""What an expression gives: constants, containers, arithmetic, comparisons, parts and attributes of things."""

import ast
from functools import reduce
from typing import Any, Optional

from msprec.source.interpreter import Class, Env, Function, Interpreter
from msprec.source.names import public_name
from msprec.source.pipelines.values import (
    Batches,
    Data,
    Instance,
    LibraryName,
    Method,
    ModelOf,
    Pipe,
    Step,
    Table,
    calculate,
    compute,
    is_plain,
    merge,
    plain_truth,
)
from msprec.source.values import COMPARE, UNKNOWN


class Expressions(Interpreter):
    """The part of the reader (`reader.Reader`) that this module is about."""

    def constant(self, value: Any) -> Any:
        return value

    def unknown(self, name: str = "") -> Any:
        return UNKNOWN

    def join(self, values: list) -> Any:
        return reduce(merge, values)

    def sequence(self, parts: list, whole: bool) -> Any:
        return tuple(parts) if whole else UNKNOWN

    def mapping(self, parts: dict) -> Any:
        return UNKNOWN

    def parts(self, value: Any) -> Optional[tuple]:
        return value if type(value) is tuple else None

    def unspread(self, value: Any) -> list:
        return []

    def named_parts(self, value: Any) -> None:
        return None

    def element(self, value: Any) -> Any:
        return value if isinstance(value, Batches) else UNKNOWN

    def truth(self, value: Any) -> Optional[bool]:
        return plain_truth(value)

    def other(self, node: ast.AST, env: Env) -> Any:
        super().other(node, env)
        return self._stated(node, env)

    def _dict(self, node: ast.Dict, env: Env) -> Any:
        if any(not isinstance(key, ast.Constant) for key in node.keys):
            return UNKNOWN
        return Table(tuple((key.value, self.eval(value, env)) for key, value in zip(node.keys, node.values)))

    def _unaryop(self, node: ast.UnaryOp, env: Env) -> Any:
        value = self.eval(node.operand, env)
        known = plain_truth(value)
        if isinstance(node.op, ast.Not):
            return UNKNOWN if known is None else not known
        if isinstance(value, (int, float)):
            return -value if isinstance(node.op, ast.USub) else value
        return UNKNOWN

    def _binop(self, node: ast.BinOp, env: Env) -> Any:
        left, right = self.eval(node.left, env), self.eval(node.right, env)
        for part in (left, right):
            if isinstance(part, Batches):
                self._calculated(part)
                return part
        if isinstance(node.op, ast.Add) and isinstance(left, Pipe) and isinstance(right, Pipe):
            return Pipe((*left.steps, *right.steps, Step("concat", {}, self.place(node))))
        if isinstance(node.op, ast.Add) and type(left) is tuple and type(right) is tuple:
            return left + right
        if isinstance(node.op, ast.Mult) and type(left) is tuple and isinstance(right, int) and len(left) * right <= 64:
            return left * right
        if isinstance(left, Data) or isinstance(right, Data):
            return calculate(type(node.op).__name__, left, right)
        return compute(node.op, left, right)

    def _compare(self, node: ast.Compare, env: Env) -> Any:
        if len(node.ops) != 1:
            return self._stated(node, env)
        left, right = self.eval(node.left, env), self.eval(node.comparators[0], env)
        operator = node.ops[0]
        if isinstance(operator, (ast.Is, ast.IsNot)) and right is None:
            if left is UNKNOWN:
                return UNKNOWN
            return (left is None) == isinstance(operator, ast.Is)
        if not (is_plain(left) and is_plain(right)):
            return UNKNOWN
        try:
            return COMPARE[type(operator)](left, right)
        except (KeyError, TypeError):
            return UNKNOWN

    def _listcomp(self, node, env: Env) -> Any:
        inner = Env(env.scope, env)
        for generator in node.generators:
            through = self.eval(generator.iter, inner)
            batch = (
                Batches(through) if isinstance(through, Pipe) else through if isinstance(through, Batches) else UNKNOWN
            )
            before, value = len(self.modes), node.value if isinstance(node, ast.DictComp) else node.elt
            self.assign(generator.target, batch, inner)
            if isinstance(batch, Batches):
                self.eval(value, inner)
                self._looped(through, node, len(self.modes) > before, value)
        if not isinstance(node, ast.DictComp):
            self.eval(node.elt, inner)
        return UNKNOWN

    _setcomp = _generatorexp = _dictcomp = _listcomp

    def _subscript(self, node: ast.Subscript, env: Env) -> Any:
        base, index = self.eval(node.value, env), self.eval(node.slice, env)
        if type(base) is tuple and isinstance(index, int) and -len(base) <= index < len(base):
            return base[index]
        if isinstance(base, Batches):
            return base._replace(column=index) if isinstance(index, str) else base
        if isinstance(base, Table) and is_plain(index):
            return dict(base.parts).get(index, UNKNOWN)
        if isinstance(base, Data):  # a part of the arrays, or one of them
            inside = isinstance(node.slice, ast.Tuple) or "::-" in ast.unparse(node.slice)
            one = isinstance(index, (int, str))
            text = f"[{index!r}]" if one else ast.unparse(node)[len(ast.unparse(node.value)) :]
            return base._replace(steps=(*base.steps, text)) if inside or one else base
        return self._stated(node, env)

    def _attribute(self, node: ast.Attribute, env: Env) -> Any:
        base = self.eval(node.value, env)
        found = self.attribute(base, node.attr, node) if base is not UNKNOWN else UNKNOWN
        if found is UNKNOWN or isinstance(base, Data):  # what a function gave may be settings as well as arrays
            stated = self._stated(node, env)
            return found if stated is UNKNOWN else stated
        return found

    def attribute(self, base: Any, name: str, node: Optional[ast.AST]) -> Any:
        if base is UNKNOWN:
            return Method(base, name)
        if isinstance(base, LibraryName):
            if base.module is None:
                return LibraryName(public_name(self.project.resolve(f"{base.name}.{name}")))
            inner = self.project.modules.get(f"{base.module.name}.{name}")
            if inner is not None and name not in base.module.scope.bindings:
                return LibraryName(inner.name, inner)
            home = self.module_env(base.module)
            return home.names[name] if name in home.names else self._of_module(name, base.module)
        if isinstance(base, Instance):
            if (base, name) in self.heap:
                return self.heap[base, name]
            method = self.project.method(base.scope, name)
            if method is not None:
                return Function(method, self.module_env(method.module), base)
            return Method(base, name) if base.cell else UNKNOWN
        if isinstance(base, Class):
            method = self.project.method(base.scope, name)
            return Function(method, self.module_env(method.module)) if method is not None else UNKNOWN
        if isinstance(base, Data) and name == "T":
            return base._replace(steps=(*base.steps, name))
        if isinstance(base, Data) and name in ("shape", "size", "ndim", "dtype", "nbytes"):
            return UNKNOWN
        return (
            Method(base, name)
            if isinstance(base, (Pipe, Batches, ModelOf, Data, str)) or type(base) is tuple
            else UNKNOWN
        )
