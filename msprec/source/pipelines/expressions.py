"""What an expression gives: constants, containers, arithmetic, comparisons, parts and attributes of things."""

import ast
from typing import Any, Optional

from msprec.source.names import public_name
from msprec.source.pipelines.names import Env
from msprec.source.pipelines.values import (
    Batches,
    Class,
    Data,
    Function,
    Instance,
    Library,
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


class Expressions:
    """The part of the reader (`reader.Reader`) that this module is about."""

    def eval(self, node: Optional[ast.AST], env: Env) -> Any:
        self._tick()
        if node is None:
            return None
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is not None:
            return handler(node, env)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.eval(child, env)
        return self._stated(node, env)

    def _constant(self, node: ast.Constant, env: Env) -> Any:
        return node.value

    def _tuple(self, node, env: Env) -> Any:
        parts = []
        for part in node.elts:
            value = self.eval(part.value if isinstance(part, ast.Starred) else part, env)
            if not isinstance(part, ast.Starred):
                parts.append(value)
            elif isinstance(value, tuple) and type(value) is tuple:
                parts += value
            else:
                return UNKNOWN
        return tuple(parts)

    _list = _tuple

    def _dict(self, node: ast.Dict, env: Env) -> Any:
        if any(not isinstance(key, ast.Constant) for key in node.keys):
            return UNKNOWN
        return Table(tuple((key.value, self.eval(value, env)) for key, value in zip(node.keys, node.values)))

    def _ifexp(self, node: ast.IfExp, env: Env) -> Any:
        known = self._truth(node.test, env)
        if known is not None:
            return self.eval(node.body if known else node.orelse, env)
        return merge(self.eval(node.body, env), self.eval(node.orelse, env))

    def _boolop(self, node: ast.BoolOp, env: Env) -> Any:
        stops, value = isinstance(node.op, ast.Or), UNKNOWN
        for part in node.values:
            value = self.eval(part, env)
            known = plain_truth(value)
            if known is None:
                return UNKNOWN
            if known == stops:
                return value
        return value

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
            return Pipe((*left.steps, *right.steps, Step("concat", {}, self._place(node))))
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

    def _namedexpr(self, node: ast.NamedExpr, env: Env) -> Any:
        value = self.eval(node.value, env)
        self.assign(node.target, value, env)
        return value

    def _lambda(self, node: ast.Lambda, env: Env) -> Any:
        return Function(env.scope.module.scope_of(node), env)

    def _joinedstr(self, node: ast.JoinedStr, env: Env) -> Any:
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

    def _slice(self, node: ast.Slice, env: Env) -> Any:
        return UNKNOWN

    def _attribute(self, node: ast.Attribute, env: Env) -> Any:
        base = self.eval(node.value, env)
        found = self._of(base, node.attr)
        if found is UNKNOWN or isinstance(base, Data):  # what a function gave may be settings as well as arrays
            stated = self._stated(node, env)
            return found if stated is UNKNOWN else stated
        return found

    def _of(self, base: Any, name: str) -> Any:
        if isinstance(base, Library):
            if base.module is None:
                return Library(public_name(self.project.resolve(f"{base.name}.{name}")))
            inner = self.project.modules.get(f"{base.module.name}.{name}")
            if inner is not None and name not in base.module.scope.bindings:
                return Library(inner.name, inner)
            home = self._home(base.module)
            return home.names[name] if name in home.names else self._of_module(name, base.module)
        if isinstance(base, Instance):
            if (base, name) in self.heap:
                return self.heap[base, name]
            method = self.project.method(base.scope, name)
            if method is not None:
                return Function(method, self._home(method.module), base)
            return Method(base, name) if base.cell else UNKNOWN
        if isinstance(base, Class):
            method = self.project.method(base.scope, name)
            return Function(method, self._home(method.module)) if method is not None else UNKNOWN
        if isinstance(base, Data) and name == "T":
            return base._replace(steps=(*base.steps, name))
        if isinstance(base, Data) and name in ("shape", "size", "ndim", "dtype", "nbytes"):
            return UNKNOWN
        return (
            Method(base, name)
            if isinstance(base, (Pipe, Batches, ModelOf, Data, str)) or type(base) is tuple
            else UNKNOWN
        )
