"""What an expression gives: arithmetic, comparisons, parts of things, as abstract values."""

import ast
from typing import Any, Optional

from msprec.source.flow import arithmetic
from msprec.source.flow.abstract_values import (
    NORM,
    Const,
    GradientOf,
    Lib,
    LibObj,
    Mapping,
    Num,
    Obj,
    OneOf,
    Truth,
    Tup,
    Unknown,
    as_num,
    joined,
)
from msprec.source.interpreter import Class, Env, Function, Interpreter
from msprec.source.values import COMPARE, UNKNOWN, Record


class Expressions(Interpreter):
    """The part of the machine (`machine.Machine`) that this module is about."""

    def constant(self, value: Any) -> Any:
        return wrapped(value)

    def unknown(self, name: str = "") -> Unknown:
        return Unknown(name)

    def join(self, values: list) -> Any:
        return joined(values)

    def sequence(self, parts: list, whole: bool) -> Tup:
        return Tup(parts)

    def mapping(self, parts: dict) -> Mapping:
        return Mapping(parts)

    def element(self, value: Any) -> Any:
        if isinstance(value, Tup):
            return joined(value.parts) if value.parts else Unknown()
        return value if isinstance(value, Num) else Unknown()

    def truth(self, value: Any) -> Optional[bool]:
        return truth_of(value)

    def open_truth(self) -> Truth:
        return Truth()

    def parts(self, value: Any) -> Optional[list]:
        return value.parts if isinstance(value, Tup) else None

    def named_parts(self, value: Any) -> dict:
        parts = value.parts if isinstance(value, Mapping) else {}
        return {key: part for key, part in parts.items() if isinstance(key, str)}

    def _dict(self, node: ast.Dict, env: Env) -> Any:
        found = {}
        for key, value in zip(node.keys, node.values):
            inner = self.eval(value, env)
            name = self.eval(key, env) if key is not None else None
            if isinstance(name, Const):
                found[name.value] = inner
            elif isinstance(inner, Mapping):
                found.update(inner.parts)
        return Mapping(found)

    def either_value(self, node: ast.IfExp, test: Any, env: Env) -> Any:
        bound = getattr(test, "bound", None)
        if bound is None:
            return super().either_value(node, test, env)
        self.guards.append(bound)
        try:
            found = super().either_value(node, test, env)
        finally:
            self.guards.pop()
        return found.but(bound=bound) if isinstance(found, Num) and found.kind == NORM else found

    def _unaryop(self, node: ast.UnaryOp, env: Env) -> Any:
        value = self.eval(node.operand, env)
        if isinstance(node.op, ast.Not):
            known = truth_of(value)
            return Const(not known) if known is not None else value if isinstance(value, Truth) else Truth()
        number = as_num(value)
        if number is None:
            return Unknown()
        if isinstance(node.op, ast.USub):
            return number.but(value=-number.value if number.value is not None else None)
        return number

    def _binop(self, node: ast.BinOp, env: Env) -> Any:
        left, right = self.eval(node.left, env), self.eval(node.right, env)
        if isinstance(node.op, ast.Add) and isinstance(left, Tup) and isinstance(right, Tup):
            return Tup(left.parts + right.parts)
        one, other = as_num(left), as_num(right)
        if one is None and other is None:
            value = self.values.of(node, env.scope)
            return wrapped(value) if value is not UNKNOWN and not isinstance(value, Record) else Unknown()
        if (
            isinstance(left, Tup)
            and isinstance(node.op, (ast.Mult, ast.Div))
            and other is not None
            and not other.constant
        ):
            return Tup(
                [self.product(as_num(part) or Num(), other, isinstance(node.op, ast.Div), node) for part in left.parts]
            )
        if isinstance(node.op, (ast.Add, ast.Sub)) and (one is None or other is None):
            return one or other  # nothing is known of the other term
        one, other = one or Num(), other or Num()
        if isinstance(node.op, (ast.Mult, ast.Div)):
            return self.product(one, other, isinstance(node.op, ast.Div), node)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            return self.total(one, other, isinstance(node.op, ast.Sub), node)
        if isinstance(node.op, ast.Pow):
            return arithmetic.power(one, other.value)
        if isinstance(node.op, ast.MatMult):
            return arithmetic.multiply(one, other)
        if one.value is not None and other.value is not None:
            value = self.values.of(node, env.scope)
            return wrapped(value) if value is not UNKNOWN else Unknown()
        return Unknown()

    def _compare(self, node: ast.Compare, env: Env) -> Any:
        parts = [self.eval(part, env) for part in (node.left, *node.comparators)]
        if len(parts) == 2 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self._identity(parts, isinstance(node.ops[0], ast.IsNot))
        plain = [part.value if isinstance(part, (Const, Num)) else UNKNOWN for part in parts]
        numbers_known = all(not isinstance(p, Num) or p.value is not None for p in parts)
        if numbers_known and not any(value is UNKNOWN for value in plain):
            known = compared(node.ops, plain)
            if known is not None:
                return Const(known)
        value = self.values.of(node, env.scope)
        if isinstance(value, bool) and not any(isinstance(part, Num) and part.kind != "plain" for part in parts):
            return Const(value)
        return self.comparison([as_num(part) for part in parts])

    @staticmethod
    def _identity(parts: list, negated: bool) -> Any:
        """``x is None``, where either side is known."""
        left, right = parts
        if isinstance(right, Const) and right.value is None:
            if isinstance(left, Const):
                return Const((left.value is None) != negated)
            if not isinstance(left, (Unknown, Truth, OneOf)):
                return Const(negated)
        return Truth()

    def _subscript(self, node: ast.Subscript, env: Env) -> Any:
        base, index = self.eval(node.value, env), self.eval(node.slice, env)
        if isinstance(base, Tup):
            if (
                isinstance(index, Num)
                and isinstance(index.value, int)
                and -len(base.parts) <= index.value < len(base.parts)
            ):
                return base.parts[index.value]
            if isinstance(node.slice, ast.Slice):
                return base
            return joined(base.parts) if base.parts else Unknown()
        if isinstance(base, Mapping):
            return base.parts.get(index.value, Unknown()) if isinstance(index, Const) else Unknown()
        if isinstance(base, Num):
            return base
        if isinstance(base, Obj):
            return Unknown()
        return self.setting(node, env) if isinstance(base, (Unknown, Lib)) else Unknown()

    def _listcomp(self, node, env: Env) -> Any:
        inner = Env(env.scope, env, env.owner)
        for generator in node.generators:
            self.assign(generator.target, self.element(self.eval(generator.iter, inner)), inner)
            for test in generator.ifs:
                self.eval(test, inner)
        if isinstance(node, ast.DictComp):
            return Mapping({None: self.eval(node.value, inner)})
        value = self.eval(node.elt, inner)
        return value if isinstance(value, Num) else Tup([value])

    _generatorexp = _setcomp = _dictcomp = _listcomp


def wrapped(value: Any) -> Any:
    """A Python value as an abstract one."""
    if isinstance(value, bool) or value is None or isinstance(value, (str, bytes)):
        return Const(value)
    if isinstance(value, (int, float)):
        return Num(value=value) if value == value and abs(value) < 1e300 else Num()
    if isinstance(value, (tuple, list)):
        return Tup([wrapped(part) for part in value])
    return Unknown()


def truth_of(value: Any) -> Optional[bool]:
    """The truth value where it is known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Num) and value.value is not None and value.kind == "plain":
        return bool(value.value)
    if isinstance(value, (Function, Class, Obj, LibObj, GradientOf)):
        return True
    return None


def compared(operators: list, values: list) -> Optional[bool]:
    """A comparison of constants; None where it cannot be made."""
    try:
        return all(bool(COMPARE[type(op)](a, b)) for op, a, b in zip(operators, values, values[1:]))
    except (TypeError, KeyError):
        return None
