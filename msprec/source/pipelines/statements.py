"""Statements, one after the other; of branches that are not decided, what they agree in."""

import ast
import re
from typing import Any, Optional

from msprec.source.module import loaded
from msprec.source.pipelines.names import Env
from msprec.source.pipelines.values import (
    Batches,
    Class,
    Data,
    Function,
    Instance,
    Pipe,
    Table,
    calculate,
    compute,
    is_plain,
    key_text,
    merge_names,
    plain_truth,
)
from msprec.source.values import UNKNOWN

_UNROLLED = 16


class Statements:
    """The part of the reader (`reader.Reader`) that this module is about."""

    def block(self, statements: list, env: Env) -> tuple:
        """(values that are returned, whether the end is reached)."""
        returns = []
        for statement in statements:
            self._tick()
            handler = getattr(self, f"do_{type(statement).__name__.lower()}", None)
            found, falls = handler(statement, env) if handler is not None else ([], True)
            returns += found
            if not falls:
                return returns, False
        return returns, True

    def do_import(self, node: ast.Import, env: Env) -> tuple:
        for alias in node.names:
            top = alias.name.split(".")[0]
            env.names[alias.asname or top] = self._imported(alias.name if alias.asname else top, env.scope.module)
        return [], True

    def do_importfrom(self, node: ast.ImportFrom, env: Env) -> tuple:
        module = env.scope.module
        home = module.absolute(node.module, node.level)
        for alias in node.names:
            if alias.name != "*":
                env.names[alias.asname or alias.name] = self._imported(f"{home}.{alias.name}", module)
        return [], True

    def do_expr(self, node: ast.Expr, env: Env) -> tuple:
        self.eval(node.value, env)
        return [], True

    def do_assign(self, node: ast.Assign, env: Env) -> tuple:
        value = self.eval(node.value, env)
        for target in node.targets:
            self.assign(target, value, env)
        return [], True

    def do_annassign(self, node: ast.AnnAssign, env: Env) -> tuple:
        if node.value is not None:
            self.assign(node.target, self.eval(node.value, env), env)
        return [], True

    def do_augassign(self, node: ast.AugAssign, env: Env) -> tuple:
        before, value = self.eval(loaded(node.target), env), self.eval(node.value, env)
        both = type(before) is tuple and type(value) is tuple and isinstance(node.op, ast.Add)
        if isinstance(before, Data):
            self.assign(node.target, calculate(type(node.op).__name__, before, value), env)
        else:
            self.assign(node.target, before + value if both else compute(node.op, before, value), env)
        return [], True

    def do_return(self, node: ast.Return, env: Env) -> tuple:
        return [self.eval(node.value, env)], False

    def do_raise(self, node: ast.Raise, env: Env) -> tuple:
        return [], False

    do_break = do_continue = do_raise

    def do_functiondef(self, node: ast.FunctionDef, env: Env) -> tuple:
        plain = all(re.search(r"jit|ms_function", ast.unparse(decorator)) for decorator in node.decorator_list)
        scope = env.scope.module.scope_of(node)
        env.names[node.name] = Function(scope, env) if plain else UNKNOWN
        return [], True

    def do_classdef(self, node: ast.ClassDef, env: Env) -> tuple:
        env.names[node.name] = Class(env.scope.module.scope_of(node))
        return [], True

    def do_if(self, node: ast.If, env: Env) -> tuple:
        known = self._truth(node.test, env)
        if known is not None:
            return self.block(node.body if known else node.orelse, env)
        self.doubts += 1
        try:
            return self._either([node.body, node.orelse], env)
        finally:
            self.doubts -= 1

    def _either(self, bodies: list, env: Env) -> tuple:
        """Branches of which one is taken, which is not known: what they leave behind counts as far as they agree."""
        names, heap, returns, ends = dict(env.names), dict(self.heap), [], []
        for body in bodies:
            env.names, self.heap = dict(names), dict(heap)
            found, falls = self.block(body, env)
            returns += found
            if falls:
                ends.append((env.names, self.heap))
        if ends:
            env.names, self.heap = ends[0]
            for other_names, other_heap in ends[1:]:
                env.names, self.heap = merge_names(env.names, other_names), merge_names(self.heap, other_heap)
        return returns, bool(ends)

    def do_for(self, node, env: Env) -> tuple:
        through = self.eval(node.iter, env)
        if type(through) is tuple and len(through) <= _UNROLLED:
            returns = []
            for part in through:
                self.assign(node.target, part, env)
                found, _ = self.block(node.body, env)
                returns += found
            return returns, True
        batch = Batches(through) if isinstance(through, Pipe) else through if isinstance(through, Batches) else UNKNOWN
        for target in ast.walk(node.target):
            if isinstance(target, ast.Name):
                env.names[target.id] = batch
        before = len(self.modes)
        found = self._either([node.body, []], env)
        called = any(mode.what in ("call", "predict", "eval") for mode in self.modes[before:])
        self._looped(through, node, called, *node.body)
        return found

    do_asyncfor = do_for

    def do_while(self, node: ast.While, env: Env) -> tuple:
        self.eval(node.test, env)
        returns, _ = self._either([node.body, []], env)
        return returns, True

    def do_with(self, node, env: Env) -> tuple:
        for item in node.items:
            value = self.eval(item.context_expr, env)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, env)
        return self.block(node.body, env)

    do_asyncwith = do_with

    def do_try(self, node: ast.Try, env: Env) -> tuple:
        returns, falls = self.block(node.body, env)
        if falls:
            found, falls = self.block(node.orelse, env)
            returns += found
        found, ends = self.block(node.finalbody, env)
        return returns + found, falls and ends

    do_trystar = do_try

    def do_delete(self, node: ast.Delete, env: Env) -> tuple:
        return [], True

    def do_match(self, node, env: Env) -> tuple:
        self.eval(node.subject, env)
        return self._either([*(case.body for case in node.cases), []], env)

    def _truth(self, test: ast.expr, env: Env) -> Optional[bool]:
        if isinstance(test, ast.Compare) and "__name__" in ast.dump(test):
            return env.scope.module is self.entry
        known = plain_truth(self.eval(test, env))
        if known is not None:
            return known
        stated = self.values.of(test, env.scope)
        return plain_truth(stated) if stated is not UNKNOWN else None

    def assign(self, target: ast.AST, value: Any, env: Env) -> None:
        if isinstance(target, ast.Name):
            env.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value if type(value) is tuple and len(value) == len(target.elts) else None
            for number, part in enumerate(target.elts):
                inner = parts[number] if parts else value if isinstance(value, Batches) else UNKNOWN
                self.assign(part.value if isinstance(part, ast.Starred) else part, inner, env)
        elif isinstance(target, ast.Attribute):
            base = self.eval(target.value, env)
            if isinstance(base, Instance):
                self.heap[base, target.attr] = value
        elif isinstance(target, ast.Subscript):
            base = self.eval(target.value, env)
            if isinstance(base, Data):
                self.assign(target.value, base._replace(steps=(*base.steps, f"set {key_text(value)}")), env)
            elif isinstance(base, Table):
                key = self.eval(target.slice, env)
                parts = {**dict(base.parts), key: value} if is_plain(key) else None
                self.assign(target.value, Table(tuple(parts.items())) if parts is not None else UNKNOWN, env)
            elif type(base) is tuple:
                self.assign(target.value, UNKNOWN, env)
