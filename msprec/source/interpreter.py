"""Runs a project's own code on abstract values: statements, names, calls, branches and loops in the order of the source.

What a value is, and when a condition is known, is for the domain to say, a subclass of `Interpreter`: `msprec.source.flow`
(what happens to loss, scale and gradients in a training step) and `msprec.source.pipelines` (the data pipelines of a script).
A block is left by exceptions, as in Python: `Return` with a value, `Leave` for break, continue and raise. Where a condition is
not known each branch runs from the same names, and what those that reach their end leave behind is joined.
"""

import ast
import contextlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple, Optional

from msprec.source.module import Module, Scope, positional
from msprec.source.project import Project
from msprec.source.values import Values


class Exhausted(Exception):
    """The budget of steps is used up."""


class Return(Exception):
    """A function returns ``value``."""

    def __init__(self, value: Any):
        self.value = value


class Leave(Exception):
    """break, continue and raise: the rest of the block does not happen."""


class Place(NamedTuple):
    """A place in the source."""

    file: str
    line: int


class Env:
    """The names of a running function or module; ``outer``: those around it; ``owner``: the object that a method is bound to;
    ``returned``: the values that branches under conditions that are not known return."""

    __slots__ = ("names", "outer", "owner", "returned", "scope")

    def __init__(self, scope: Scope, outer: Optional["Env"] = None, owner: Any = None):
        self.scope, self.outer, self.owner = scope, outer, owner
        self.names, self.returned = {}, []

    def find(self, name: str) -> Optional["Env"]:
        """The nearest names that hold the name, or None."""
        env: Optional[Env] = self
        while env is not None and name not in env.names:
            env = env.outer
        return env


class Function(NamedTuple):
    """A function of the project with the names around it, bound to ``owner``."""

    scope: Scope
    env: Optional[Env]
    owner: Any = None


class Class(NamedTuple):
    """A class of the project, with the names around it where the domain needs them."""

    scope: Scope
    env: Optional[Env] = None


@cache
def _handler(kind: type, prefix: str) -> str:
    return prefix + kind.__name__.lower()


class Interpreter:
    """One way through a script. The methods of the domain are those that raise NotImplementedError here, and the handlers
    ``_<node>`` of further expressions; any method may be extended.

    Attributes:
        modules: ``{name of a module: its Env}``.
        running: The scopes of what is being run, outermost first.
        entered: The scopes that were run.
        steps: Statements, expressions and calls so far, of `STEPS`.
    """

    #: The budget of statements and expressions, the deepest nesting of calls, and how often one function may be among them.
    STEPS, DEPTH, NESTED = 120_000, 40, 3
    #: What a name that a branch did not bind counts as when branches are joined.
    MISSING: Any = None

    def __init__(self, project: Project, values: Values):
        self.project, self.values = project, values
        self.modules, self.running, self.entered, self.steps = {}, [], set(), 0

    # --- the domain

    def constant(self, value: Any) -> Any:
        """A constant of the source as an abstract value."""
        raise NotImplementedError

    def unknown(self, name: str = "") -> Any:
        """The value of which nothing is known; ``name``: what gave it."""
        raise NotImplementedError

    def join(self, values: list) -> Any:
        """What several values have in common; at least one."""
        raise NotImplementedError

    def sequence(self, parts: list, whole: bool) -> Any:
        """A tuple or list as an abstract value; ``whole``: no part stands for several, or none, that are not known."""
        raise NotImplementedError

    def mapping(self, parts: dict) -> Any:
        """A dictionary of arguments by name as an abstract value."""
        raise NotImplementedError

    def parts(self, value: Any) -> Optional[list]:
        """The parts of a tuple or list; None where they are not known."""
        raise NotImplementedError

    def unspread(self, value: Any) -> list:
        """What stands in a list of arguments for the parts of a starred value that are not known."""
        return [value]

    def named_parts(self, value: Any) -> Optional[dict]:
        """The parts of a dictionary by name; None where they are not known."""
        raise NotImplementedError

    def element(self, value: Any) -> Any:
        """What stands for each part of a value, as a loop over it gives them."""
        raise NotImplementedError

    def rounds(self, value: Any) -> Optional[Iterable]:
        """The parts that a loop over a value runs with, one after the other; None: not known whether it runs at all."""
        raise NotImplementedError

    def condition(self, test: ast.expr, node: ast.AST, env: Env) -> tuple:
        """(the outcome of a test where it is known, else None; its abstract value). ``node``: the statement or expression."""
        raise NotImplementedError

    def truth(self, value: Any) -> Optional[bool]:
        """The truth of a value; None where it is not known."""
        raise NotImplementedError

    def open_truth(self) -> Any:
        """A truth that is not known."""
        return self.unknown()

    def name(self, node: ast.Name, env: Env) -> Any:
        """What a name stands for."""
        raise NotImplementedError

    def attribute(self, base: Any, name: str, node: Optional[ast.AST]) -> Any:
        """``base.name``."""
        raise NotImplementedError

    def called(self, function: Any, args: list, keywords: dict, whole: bool, node: ast.Call, env: Env) -> Any:
        """What a call gives; ``whole``: all arguments are known by place and name."""
        raise NotImplementedError

    def set_attribute(self, base: Any, name: str, value: Any) -> None:
        """``base.name = value``."""
        raise NotImplementedError

    def set_item(self, target: ast.Subscript, value: Any, env: Env) -> None:
        """``base[index] = value``."""
        raise NotImplementedError

    def decorated(self, function: Function, node: ast.FunctionDef, env: Env) -> Any:
        """What a definition binds, after its decorators."""
        raise NotImplementedError

    def stored(self, value: Any, name: str) -> Any:
        """The value that a name or attribute takes."""
        return value

    def handlers(self, node: ast.Try) -> Iterable:
        """The handlers of a try statement that are run after its body."""
        return ()

    def state(self, env: Env) -> list:
        """The dictionaries that a branch may change, for it to begin from the same as another."""
        return [env.names]

    def restore(self, state: list, env: Env) -> None:
        """Puts such dictionaries in place."""
        (env.names,) = state

    # --- scopes

    def module_env(self, module: Module) -> Env:
        """The names of a module."""
        if module.name not in self.modules:
            self.modules[module.name] = Env(module.scope)
        return self.modules[module.name]

    def place(self, node: Optional[ast.AST]) -> Place:
        """Where a node of the running scope stands."""
        return Place(self.running[-1].module.file if self.running else "", getattr(node, "lineno", 0))

    def inside(self, scope: Scope, body: Callable) -> Any:
        """``body()`` with the scope as the innermost that runs; not known where scopes nest too deep."""
        if len(self.running) > self.DEPTH or sum(other is scope for other in self.running) >= self.NESTED:
            return self.unknown("recursion")
        self.running.append(scope)
        self.entered.add(scope)
        try:
            return body()
        finally:
            self.running.pop()

    # --- expressions

    def tick(self) -> None:
        """Counts a step. Raises Exhausted."""
        self.steps += 1
        if self.steps > self.STEPS:
            raise Exhausted

    def eval(self, node: Optional[ast.AST], env: Env) -> Any:
        """The abstract value of an expression."""
        self.tick()
        if node is None:
            return self.constant(None)
        handler = getattr(self, _handler(type(node), "_"), None)
        return handler(node, env) if handler is not None else self.other(node, env)

    def other(self, node: ast.AST, env: Env) -> Any:
        """An expression of any other kind: what is in it happens, what it gives is not known."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.eval(child, env)
        return self.unknown()

    def _constant(self, node: ast.Constant, env: Env) -> Any:
        return self.constant(node.value)

    def _name(self, node: ast.Name, env: Env) -> Any:
        return self.name(node, env)

    def _tuple(self, node, env: Env) -> Any:
        return self.sequence(*self.spread(node.elts, env))

    _list = _set = _tuple

    def spread(self, nodes: list, env: Env) -> tuple:
        """(the values of expressions, starred ones by their parts where these are known; whether all are)."""
        found, whole = [], True
        for node in nodes:
            starred = isinstance(node, ast.Starred)
            value = self.eval(node.value if starred else node, env)
            parts = self.parts(value) if starred else [value]
            whole = whole and parts is not None
            found += self.unspread(value) if parts is None else parts
        return found, whole

    def _lambda(self, node: ast.Lambda, env: Env) -> Any:
        return Function(env.scope.module.scope_of(node), env)

    def _starred(self, node, env: Env) -> Any:
        return self.eval(node.value, env)

    _await = _starred

    def _namedexpr(self, node: ast.NamedExpr, env: Env) -> Any:
        value = self.eval(node.value, env)
        self.assign(node.target, value, env)
        return value

    def _ifexp(self, node: ast.IfExp, env: Env) -> Any:
        known, test = self.condition(node.test, node, env)
        if known is not None:
            return self.eval(node.body if known else node.orelse, env)
        return self.either_value(node, test, env)

    def either_value(self, node: ast.IfExp, test: Any, env: Env) -> Any:
        """A conditional expression whose condition, of the abstract value ``test``, is not known."""
        return self.join([self.eval(node.body, env), self.eval(node.orelse, env)])

    def _boolop(self, node: ast.BoolOp, env: Env) -> Any:
        stops, sure = isinstance(node.op, ast.Or), True
        for part in node.values:
            value = self.eval(part, env)
            known = self.truth(value)
            sure = sure and known is not None
            if known == stops:
                break
        return value if sure else self.open_truth()

    def _joinedstr(self, node: ast.JoinedStr, env: Env) -> Any:
        return self.unknown("text")

    def _slice(self, node: ast.Slice, env: Env) -> Any:
        return self.unknown("slice")

    # --- calls

    def _call(self, node: ast.Call, env: Env) -> Any:
        if isinstance(node.func, ast.Attribute):  # what is called is a method, whatever its name would say of a value
            function = self.attribute(self.eval(node.func.value, env), node.func.attr, node.func)
        else:
            function = self.eval(node.func, env)
        return self.called(function, *self.arguments(node, env), node, env)

    def arguments(self, node: ast.Call, env: Env) -> tuple:
        """(positional, by name, whether all are known by place and name)."""
        args, whole = self.spread(node.args, env)
        keywords = {}
        for keyword in node.keywords:
            value = self.eval(keyword.value, env)
            named = {keyword.arg: value} if keyword.arg is not None else self.named_parts(value)
            whole = whole and named is not None
            keywords.update(named or {})
        return args, keywords, whole

    def run(self, function: Function, args: list, keywords: dict, whole: bool = True) -> Any:
        """What a function of the project returns; its body is run. Of arguments that are not ``whole`` no default is certain."""
        env = Env(function.scope, function.env, function.owner)
        given = [function.owner, *args] if function.owner is not None else args

        def body() -> Any:
            self.bind(function.scope.node.args, given, keywords, env, whole)
            return self.result(function.scope, env)

        return self.inside(function.scope, body)

    def result(self, scope: Scope, env: Env) -> Any:
        """What the body of a function gives: the join of what its branches return, None where the end is reached."""
        if isinstance(scope.node, ast.Lambda):
            return self.eval(scope.node.body, env)
        left = self.branch(scope.node.body, env)
        found = env.returned if left and env.returned else [*env.returned, self.constant(None)]
        return self.join(found)

    def bind(self, args: ast.arguments, given: list, keywords: dict, env: Env, whole: bool) -> None:
        """Gives the parameters of a function their values."""
        plain = positional(args)
        names = [*plain, *(arg.arg for arg in args.kwonlyargs)]
        defaults = dict(zip(reversed(plain), reversed(args.defaults)))
        defaults.update({a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults) if d is not None})
        known = {**keywords, **dict(zip(plain, given))}
        for name in names:
            if name in known:
                env.names[name] = known[name]
            elif name in defaults and whole:
                env.names[name] = self.eval(defaults[name], env.outer or env)
            else:
                env.names[name] = self.unknown(name)
        if args.vararg is not None:
            env.names[args.vararg.arg] = self.sequence(given[len(plain) :], whole)
        if args.kwarg is not None:
            env.names[args.kwarg.arg] = self.mapping({key: v for key, v in keywords.items() if key not in names})

    # --- statements

    def block(self, statements: list, env: Env) -> None:
        """Runs statements in order. Raises Return, Leave and Exhausted."""
        for statement in statements:
            self.tick()
            handler = getattr(self, _handler(type(statement), "do_"), None)
            if handler is not None:
                handler(statement, env)

    def branch(self, body: list, env: Env) -> bool:
        """Runs a block and keeps what it returns; True where it does not reach its end."""
        try:
            self.block(body, env)
        except Return as found:
            env.returned.append(found.value)
        except Leave:
            pass
        else:
            return False
        return True

    def either(self, bodies: list, env: Env) -> bool:
        """Blocks of which one is run, not known which: what they leave behind is joined. True where one does not reach its end.
        Raises Leave where none does."""
        start, ends = self.state(env), []
        for body in bodies:
            self.restore([dict(part) for part in start], env)
            if not self.branch(body, env):
                ends.append(self.state(env))
        if not ends:
            raise Leave
        if len(ends) > 1:
            self.restore([self._joined(parts) for parts in zip(*ends)], env)
        else:
            self.restore(ends[0], env)
        return len(ends) < len(bodies)

    def _joined(self, parts: tuple) -> dict:
        names = dict.fromkeys(name for part in parts for name in part)
        return {name: self.join([part.get(name, self.MISSING) for part in parts]) for name in names}

    def do_expr(self, node: ast.Expr, env: Env) -> None:
        self.eval(node.value, env)

    def do_assign(self, node: ast.Assign, env: Env) -> None:
        value = self.eval(node.value, env)
        for target in node.targets:
            self.assign(target, value, env)

    def do_annassign(self, node: ast.AnnAssign, env: Env) -> None:
        if node.value is not None:
            self.assign(node.target, self.eval(node.value, env), env)

    def do_return(self, node: ast.Return, env: Env) -> None:
        raise Return(self.eval(node.value, env))

    def do_raise(self, node: ast.stmt, env: Env) -> None:
        raise Leave

    do_break = do_continue = do_raise

    def do_functiondef(self, node, env: Env) -> None:
        env.names[node.name] = self.decorated(Function(env.scope.module.scope_of(node), env), node, env)

    do_asyncfunctiondef = do_functiondef

    def do_classdef(self, node: ast.ClassDef, env: Env) -> None:
        env.names[node.name] = Class(env.scope.module.scope_of(node), env)

    def do_if(self, node: ast.If, env: Env) -> None:
        known, test = self.condition(node.test, node, env)
        if known is not None:
            self.block(node.body if known else node.orelse, env)
        else:
            self.undecided(node, test, env)

    def undecided(self, node: ast.If, test: Any, env: Env) -> None:
        """An if statement whose condition, of the abstract value ``test``, is not known."""
        self.either([node.body, node.orelse], env)

    def do_for(self, node, env: Env) -> None:
        self.loop(node, self.eval(node.iter, env), env)
        self.block(node.orelse, env)

    do_asyncfor = do_for

    def loop(self, node, through: Any, env: Env) -> None:
        """The rounds of a for loop over a value."""
        rounds = self.rounds(through)
        if rounds is None:
            self.assign(node.target, self.element(through), env)
            self.either([node.body, []], env)
            return
        for part in rounds:
            self.assign(node.target, part, env)
            self._round(node.body, env)

    def _round(self, body: list, env: Env) -> None:
        with contextlib.suppress(Leave):
            self.block(body, env)

    def do_while(self, node: ast.While, env: Env) -> None:
        self.eval(node.test, env)
        rounds = self.rounds(self.unknown())
        if rounds is None:
            self.either([node.body, []], env)
        for _ in rounds or ():
            self._round(node.body, env)
        self.block(node.orelse, env)

    def do_with(self, node, env: Env) -> None:
        for item in node.items:
            value = self.eval(item.context_expr, env)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, env)
        self.block(node.body, env)

    do_asyncwith = do_with

    def do_try(self, node, env: Env) -> None:
        try:
            self._round([*node.body, *node.orelse], env)
            for handler in self.handlers(node):
                self._round(handler.body, env)
        finally:
            self.block(node.finalbody, env)

    do_trystar = do_try

    def do_match(self, node, env: Env) -> None:
        self.eval(node.subject, env)
        self.either([*(case.body for case in node.cases), []], env)

    # --- assignment

    def assign(self, target: ast.AST, value: Any, env: Env) -> None:
        """Gives the target of an assignment a value."""
        if isinstance(target, ast.Name):
            self.home(target.id, env).names[target.id] = self.stored(value, target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, env)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, env)
        elif isinstance(target, ast.Attribute):
            self.set_attribute(self.eval(target.value, env), target.attr, self.stored(value, target.attr))
        elif isinstance(target, ast.Subscript):
            self.set_item(target, value, env)

    def home(self, name: str, env: Env) -> Env:
        """Where an assignment binds a name: in the module, where a ``global`` statement says so."""
        module = env.scope.module
        bindings = module.scope.bindings.get(name, ())
        if any(b.kind == "other" and isinstance(b.node, ast.Global) for b in bindings):
            return self.modules.get(module.name, env)
        return env

    def _unpack(self, targets: list, value: Any, env: Env) -> None:
        parts = self.parts(value)
        starred = any(isinstance(target, ast.Starred) for target in targets)
        if parts is None or len(parts) != len(targets) or starred:
            parts = [self.element(value)] * len(targets)
        for target, part in zip(targets, parts):
            self.assign(target, part, env)
