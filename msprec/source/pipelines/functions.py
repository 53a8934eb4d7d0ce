"""The project's own functions and classes, run with the arguments that a call gives them."""

import ast
import re
from typing import Any

from msprec.source.module import Scope
from msprec.source.pipelines.names import Env
from msprec.source.pipelines.values import Data, Function, Instance, has_result, key_text, merge
from msprec.source.values import UNKNOWN

_DEPTH = 24
_CELLS = re.compile(r"^mindspore\.(mint\.)?nn\.Cell$|^mindspore\.nn\.cell\.Cell$")


class Functions:
    """The part of the reader (`reader.Reader`) that this module is about."""

    def _run(self, function: Function, args: list, keywords: dict, whole: bool) -> Any:
        scope = function.scope
        if len(self.running) > _DEPTH or self.running.count(scope) > 1:
            return UNKNOWN
        env = Env(scope, function.env)
        self._bind(
            scope.node.args, [function.owner, *args] if function.owner is not None else args, keywords, env, whole
        )
        self.running.append(scope)
        try:
            if isinstance(scope.node, ast.Lambda):
                return self.eval(scope.node.body, env)
            if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(scope.node)):
                return UNKNOWN
            returns, falls = self.block(scope.node.body, env)
        finally:
            self.running.pop()
        found = [*returns, *([None] if falls else [])]
        value = found[0] if found else None
        for other in found[1:]:
            value = merge(value, other)
        return self._from_function(function, args, keywords, value)

    def _from_function(self, function: Function, args: list, keywords: dict, value: Any) -> Any:
        """Arrays that a function of the project gives are told by its name; and by its arguments, where they are arrays."""
        parts = value if type(value) is tuple else (value,)
        if not parts or not all(part is UNKNOWN or isinstance(part, Data) for part in parts):
            return value
        given = [*args, *keywords.values()]
        arrays = any(isinstance(one, Data) for one in given)
        kept = [key_text(one) for one in given if arrays or isinstance(one, (bool, float)) or one is UNKNOWN]
        if not arrays and all(part is UNKNOWN for part in parts) and not has_result(function.scope):
            return value
        made = f"{function.scope.qualified}({', '.join(kept)})"
        told = tuple(Data(made, (f"[{number}]",) if type(value) is tuple else ()) for number in range(len(parts)))
        return told if type(value) is tuple else told[0]

    def _bind(self, args: ast.arguments, given: list, keywords: dict, env: Env, whole: bool) -> None:
        plain = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        defaults = dict(zip(plain[len(plain) - len(args.defaults) :], args.defaults))
        defaults.update({a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults) if d is not None})
        positional = dict(zip(plain, given))
        for name in [*plain, *(arg.arg for arg in args.kwonlyargs)]:
            if name in positional:
                env.names[name] = positional[name]
            elif name in keywords:
                env.names[name] = keywords[name]
            elif name in defaults and whole:
                env.names[name] = self.eval(defaults[name], env.outer or env)
            else:
                env.names[name] = UNKNOWN
        if args.vararg is not None:
            env.names[args.vararg.arg] = tuple(given[len(plain) :]) if whole else UNKNOWN
        if args.kwarg is not None:
            env.names[args.kwarg.arg] = UNKNOWN

    def _made(self, scope: Scope, args: list, keywords: dict, whole: bool) -> Instance:
        cell = any(_CELLS.match(name) for name in self.project.bases(scope))
        cell = cell or self.project.method(scope, "construct") is not None
        made = Instance(scope, args, keywords, cell)
        init = self.project.method(scope, "__init__")
        if init is not None and not cell:
            self._run(Function(init, self._home(init.module), made), args, keywords, whole)
        return made

    def _call_instance(self, made: Instance, args: list, keywords: dict, node: ast.Call, whole: bool) -> Any:
        if made.cell:
            self._mode("call", made, None, node)
            return UNKNOWN
        method = self.project.method(made.scope, "__call__")
        return (
            self._run(Function(method, self._home(method.module), made), args, keywords, whole) if method else UNKNOWN
        )
