"""Runs a project's own code on abstract values: names, calls and statements in the order in which they would happen.

One `Machine` follows one way through the script. Conditions that are known are followed; of those that are not, the ones
that decide about scaling, clipping or gradients are assumed (and noted in ``consulted``), of the others both branches run
and their results are joined. Loops run twice, so that what an iteration leaves behind meets the next one.
"""

import ast
import re
from typing import Any, Optional

from msprec.source.flow import arithmetic
from msprec.source.flow.abstract_values import (
    GRADIENT,
    NORM,
    SCALE,
    Const,
    GradientOf,
    Lib,
    LibObj,
    Mapping,
    MethodOfValue,
    Num,
    Obj,
    OneOf,
    Partial,
    Truth,
    Tup,
    Unknown,
    as_num,
    joined,
)
from msprec.source.flow.events import Event
from msprec.source.flow.expressions import Expressions, truth_of, wrapped
from msprec.source.flow.mindspore_semantics import ONE, SCALE_NAME, Semantics, last
from msprec.source.flow.objects import Objects
from msprec.source.interpreter import Class, Env, Function, Place
from msprec.source.module import Module, Scope, last_name, loaded
from msprec.source.project import LIBRARIES, Project
from msprec.source.values import UNKNOWN, Record, Values

_SPEAKS = re.compile(r"loss_?scal|unscale|scal(?:ing_sens|e_sense)|sens(?<=\bsens)\b")  # begins with a letter: fast
_DECIDES = re.compile(
    r"clip|clamp|unscale|loss_?scal|scaler|\bsens\b|scale_sense|scaling_sens|penalt|grad_scale|value_and_grad|GradOperation",
    re.IGNORECASE,
)


class Machine(Objects, Expressions):
    """One way through the script; ``assumed`` holds the conditions that were decided beforehand."""

    def __init__(self, project: Project, values: Values, assumed: Optional[dict] = None):
        super().__init__(project, values)
        self.assumed = dict(assumed or {})
        self.consulted, self.events = [], []
        self.library = Semantics(self)
        self.guards, self.sites = [], []
        self.guessing = False
        self.changed = {}
        self.speaks_of_scale = project.mentions(_SPEAKS)

    # --- events

    def note(self, kind: str, node: ast.AST, degrees, what: str = "", number: Optional[Num] = None) -> None:
        self.note_at(kind, self.place(node), degrees, what, number)

    def note_at(self, kind: str, spot: Place, degrees, what: str = "", number: Optional[Num] = None) -> None:
        callers = tuple(dict.fromkeys(reversed(self.sites[-4:])))
        event = Event(kind, spot, degrees, what, number.factor if number is not None else 1.0, callers)
        if event not in self.events[-200:]:
            self.events.append(event)

    # --- arithmetic with events

    def product(self, one: Num, other: Num, divides: bool, node: ast.AST) -> Num:
        """A product or quotient; of gradients and a limited norm it is clipping by hand, with the scale it is unscaling."""
        found = arithmetic.multiply(one, other, divides)
        gradient = one if one.kind == GRADIENT else other if other.kind == GRADIENT and not divides else None
        if gradient is None:
            if SCALE in (one.kind, other.kind) and found.kind not in (SCALE, NORM) and not divides:
                self.note("scale", node, found.degrees)
            return found
        rest = other if gradient is one else one
        if rest.kind == NORM:
            bound = rest.bound if rest.bound is not None else self.guards[-1] if self.guards else None
            if bound is not None:
                bound = None if any(degree != degree for degree in bound) else bound
                self.note("clip", node, bound, "norm", gradient)
                return gradient.but(value=None)
        elif found.degrees != gradient.degrees or (rest.constant and found.factor != gradient.factor and divides):
            self.note("unscale", node, found.degrees, "", found)
        return found

    def total(self, one: Num, other: Num, subtracts: bool, node: ast.AST) -> Num:
        return arithmetic.add(one, other, self.place(node), subtracts)

    @staticmethod
    def comparison(numbers: list) -> Truth:
        """Comparing the norm of a gradient with a constant: what follows may be clipping by hand."""
        norms = [number for number in numbers if number is not None and number.kind == NORM]
        if not norms:
            return Truth()
        return Truth(arithmetic.bounded([norms[0], *[n for n in numbers if n is not None and n is not norms[0]]]).bound)

    # --- modules and names

    def module(self, module: Module) -> Env:
        """The names of a module after its top level has run."""
        if module.name not in self.modules:
            env = self.module_env(module)
            self.inside(module.scope, lambda: self.branch(module.tree.body, env))
        return self.modules[module.name]

    def name(self, node: ast.Name, env: Env) -> Any:
        home = env.find(node.id)
        if home is not None:
            return home.names[node.id]
        scope, bindings = env.scope.lookup(node.id)
        for binding in bindings:
            if binding.kind == "import":
                return self.imported(binding.value, scope.module)
            if binding.kind in ("def", "class") and scope.module.name in self.modules and scope.parent is None:
                made = Class if binding.kind == "class" else Function
                return made(scope.module.scopes[binding.value], self.modules[scope.module.name])
        for star in env.scope.module.stars:
            module = self.project.module_of(star, env.scope.module)
            if module is not None:
                found = self.module(module).names.get(node.id)
                if found is not None:
                    return found
        dotted = self.project.qualified(node, env.scope)
        if dotted is not None and (dotted.startswith("builtins.") or dotted.split(".")[0] in LIBRARIES):
            return Lib(dotted)
        return self.setting(node, env)

    def imported(self, dotted: str, near: Module) -> Any:
        """What an import binds: a module of the project or a name in one, else a library's."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            module = self.project.module_of(".".join(parts[:length]), near)
            if module is None:
                continue
            env, rest = self.module(module), parts[length:]
            if not rest:
                return Lib(f"project:{module.name}")
            if rest[0] in env.names:
                value = env.names[rest[0]]
            else:
                value = self.name(ast.Name(id=rest[0], ctx=ast.Load()), env)
            for part in rest[1:]:
                value = self.attribute(value, part, None)
            return value
        return Lib(self.project.resolve(dotted, near))

    def setting(self, node: ast.AST, env: Env) -> Any:
        """A constant that the source gives by other means: argparse, YAML, a dataclass; a name that tells a loss scale."""
        value = self.values.of(node, env.scope)
        name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
        if value is UNKNOWN or isinstance(value, Record):
            return Num(ONE, SCALE) if self.names_scale(name) and value is UNKNOWN else Unknown(name)
        return wrapped(value)

    def _attribute(self, node: ast.Attribute, env: Env) -> Any:
        if _is_super(node.value):
            owner = self._self(env)
            return MethodOfValue(owner, node.attr) if isinstance(owner, Obj) else Unknown("super")
        base = self.eval(node.value, env)
        found = self.attribute(base, node.attr, node)
        if isinstance(base, (Unknown, Lib, MethodOfValue, Const)) and isinstance(found, (Unknown, MethodOfValue)):
            stated = self.setting(node, env)
            return found if isinstance(stated, Unknown) else stated
        return found

    # --- attributes

    def attribute(self, base: Any, name: str, node: Optional[ast.AST]) -> Any:
        """``base.name``."""
        if isinstance(base, OneOf):
            return joined([self.attribute(part, name, node) for part in base.parts])
        if isinstance(base, Obj):
            return self._of_object(base, name, node)
        if isinstance(base, Class):
            method = self.project.method(base.scope, name)
            return Function(method, base.env) if method is not None else self._class_variable(base, name)
        if isinstance(base, Lib):
            return self._of_library(base, name)
        if isinstance(base, LibObj) and name == "loss_scale" and "LossScale" in base.name:
            return self.library.scale_of(base)
        if isinstance(base, LibObj) and name == "scale_value":
            return self.library.scale_of(base)
        if isinstance(base, LibObj) and name in ("parameters", "network", "optimizer") and base.args:
            found = base.argument(name, {"network": 0, "optimizer": 1}.get(name, 99))
            return found if found is not None else Unknown(name)
        if isinstance(base, Num) and name in ("shape", "dtype", "ndim", "size", "name"):
            return Unknown(name)
        if isinstance(base, Num) and name in ("T", "data", "value", "mT"):
            return base
        if isinstance(base, Const):
            return Unknown(name)
        return MethodOfValue(base, name)

    def _of_library(self, base: Lib, name: str) -> Any:
        if base.name.startswith("project:"):
            module = self.project.modules.get(base.name[8:])
            if module is None:
                return Unknown(name)
            inner = self.project.modules.get(f"{module.name}.{name}")
            if inner is not None and name not in module.scope.bindings:
                return Lib(f"project:{inner.name}")
            env = self.module(module)
            return env.names[name] if name in env.names else self.name(ast.Name(id=name, ctx=ast.Load()), env)
        return Lib(self.project.resolve(f"{base.name}.{name}"))

    # --- calls

    def _call(self, node: ast.Call, env: Env) -> Any:
        if _is_super(node):
            return Unknown("super")
        if isinstance(node.func, ast.Attribute) and _is_super(node.func.value):
            return self._super(node, env)
        return super()._call(node, env)

    def called(self, function: Any, args: list, keywords: dict, whole: bool, node: ast.Call, env: Env) -> Any:
        if isinstance(function, Unknown) or (
            isinstance(function, MethodOfValue) and isinstance(function.owner, Unknown)
        ):
            value = self.values.of(node, env.scope)
            if value is not UNKNOWN and not isinstance(value, Record):
                return wrapped(value)
        return self.call(function, args, keywords, node)

    def call(self, function: Any, args: list, keywords: dict, node: Optional[ast.AST]) -> Any:
        """Calls any abstract value."""
        self.tick()
        if isinstance(function, Function):
            self.sites.append(self.place(node))
            try:
                return self.run(function, args, keywords)
            finally:
                self.sites.pop()
        if isinstance(function, Class):
            return self._instance(function, args, keywords, node)
        if isinstance(function, Obj):
            return self._call_instance(function, args, keywords, node)
        if isinstance(function, Partial):
            if isinstance(function.function, Lib) and function.function.name == "msprec.register":
                return self._registered(function, args)
            return self.call(function.function, [*function.args, *args], {**function.keywords, **keywords}, node)
        if isinstance(function, GradientOf):
            return self._call_gradient(function, args, keywords, node)
        if isinstance(function, OneOf):
            return joined([self.call(part, args, keywords, node) for part in function.parts])
        if isinstance(function, Lib):
            return self._call_library(function, args, keywords, node)
        if isinstance(function, LibObj):
            return self.library.call_object(function, args, keywords, node)
        if isinstance(function, MethodOfValue):
            return self._call_method(function, args, keywords, node)
        return self.library.unread(getattr(function, "name", ""), args, keywords, node, function)

    def _registered(self, register: Partial, args: list) -> Any:
        """A decorator of a MultitypeFuncGraph: the types first, then the function."""
        graph = register.args[0]
        functions = [value for value in args if isinstance(value, Function)]
        if not functions:
            return Partial(register.function, register.args, {})
        graph.functions += functions
        return functions[0]

    def _call_library(self, function: Lib, args: list, keywords: dict, node) -> Any:
        if function.name.startswith("project:"):
            return Unknown()
        if function.name.split(".")[0] in ("mindspore", "builtins", "functools", "numpy", "math", "msprec", "copy"):
            return self.library.call(function.name, args, keywords, node)
        return self.library.unread(last(function.name), args, keywords, node, function)

    def _call_method(self, method: MethodOfValue, args: list, keywords: dict, node) -> Any:
        owner = method.owner
        if isinstance(owner, Obj):
            return self._base_method(owner, method.name, args, keywords, node)
        return self.library.method(owner, method.name, args, keywords, node)

    def _call_gradient(self, function: GradientOf, args: list, keywords: dict, node) -> Any:
        sens = None
        if function.sens and args:
            sens, args = as_num(args[-1]) or Num(), args[:-1]
        result, gradients = self.library.differentiate(function.function, args, keywords, sens, function.aux, node)
        if function.gives == "both":
            return Tup([result, gradients])
        if function.aux:
            rest = result.parts[1:] if isinstance(result, Tup) else [Unknown()]
            return Tup([gradients, Tup(rest)])
        return gradients

    def result(self, scope: Scope, env: Env) -> Any:
        """Of a generator what it yields."""
        found = super().result(scope, env)
        return env.names.get(" yields", found)

    # --- statements

    def block(self, statements: list, env: Env) -> None:
        guarded = len(self.guards)
        try:
            super().block(statements, env)
        finally:
            del self.guards[guarded:]

    def do_expr(self, node: ast.Expr, env: Env) -> None:
        value = node.value
        if isinstance(value, (ast.Yield, ast.YieldFrom)):
            env.names[" yields"] = Tup([self.eval(value.value, env)])
        else:
            self.eval(value, env)

    def do_augassign(self, node: ast.AugAssign, env: Env) -> None:
        before = self.eval(loaded(node.target), env) if isinstance(node.target, ast.Name) else None
        value = self.eval(ast.copy_location(ast.BinOp(loaded(node.target), node.op, node.value), node), env)
        if isinstance(before, Num) and isinstance(value, Num) and value.kind == GRADIENT:
            value = self.in_place(before, value, node)
        self.assign(node.target, value, env)

    def in_place(self, tensor: Num, value: Num, node: ast.AST) -> Num:
        """A tensor takes a new value where it is; once, as one stands for all elements of a list and loops run twice."""
        if (id(node), id(tensor)) not in self.changed:
            self.changed[id(node), id(tensor)] = tensor
            tensor.become(value)
        return tensor

    def decorated(self, function: Function, node: ast.FunctionDef, env: Env) -> Any:
        """A decorator of the project that returns a function is run; others leave the function as it is."""
        value: Any = function
        for node_of in reversed(node.decorator_list):
            decorator = self.eval(node_of, env)
            if isinstance(decorator, (Partial, Function)):
                found = self.call(decorator, [value], {}, node)
                value = found if isinstance(found, (Function, Obj, Partial, OneOf)) else value
        return value

    def rounds(self, value: Any) -> list:
        """Up to eight parts that are known; else two rounds, so that what an iteration leaves behind meets the next one."""
        parts = value.parts if isinstance(value, Tup) and 1 < len(value.parts) <= 8 else None
        return parts or [self.element(value)] * 2

    def handlers(self, node: ast.Try) -> list:
        """All but those of imports that fail."""
        return [
            h
            for h in node.handlers
            if h.type is None or last_name(h.type) not in ("ImportError", "ModuleNotFoundError")
        ]

    def undecided(self, node: ast.If, test: Any, env: Env) -> None:
        bound = getattr(test, "bound", None)
        if bound is not None:
            self.guards.append(bound)
        leaves = self.either([node.body, node.orelse], env)
        if bound is not None and not leaves:  # after `if norm <= limit: return` the rest of the block is guarded, too
            self.guards.pop()

    def condition(self, test: ast.expr, node: ast.AST, env: Env) -> tuple:
        """(the outcome where it is known or assumed, else None; the abstract value)."""
        value = self.eval(test, env)
        known = truth_of(value)
        if known is not None:
            return known, value
        if getattr(value, "bound", None) is not None:
            return None, value
        if _is_main(test):
            return True, value
        # of a step whose caller was not read, the defaults of its parameters say nothing
        stated = self.values.of(test, env.scope) if isinstance(value, Unknown) and not self.guessing else UNKNOWN
        if stated is not UNKNOWN and not isinstance(stated, Record):
            return bool(stated), value
        if not self._decides(node):
            return None, value
        return self._assume(test), value

    @staticmethod
    def _decides(node: ast.AST) -> bool:
        parts = [*getattr(node, "orelse", []), *node.body] if isinstance(node, ast.If) else [node]
        return any(_DECIDES.search(ast.unparse(part)) for part in parts)

    def _assume(self, test: ast.expr) -> bool:
        negated = False
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, negated = test.operand, not negated
        return self.suppose(ast.unparse(test).replace("self.", "")) != negated

    def suppose(self, text: str) -> bool:
        """Whether a condition that nothing decides holds on this way; on another it does not."""
        if text not in self.assumed:
            self.assumed[text] = True
        if text not in self.consulted:
            self.consulted.append(text)
        return self.assumed[text]

    def set_attribute(self, base: Any, name: str, value: Any) -> None:
        if isinstance(base, Obj):
            base.attributes[name] = value

    def set_item(self, target: ast.Subscript, value: Any, env: Env) -> None:
        base, number = self.eval(target.value, env), as_num(value)
        if isinstance(base, Num) and number is not None:
            base.absorb(number)
        elif isinstance(base, Tup) and number is not None:
            base.parts.append(value)
        elif isinstance(base, Mapping):
            key = self.eval(target.slice, env)
            base.parts[key.value if isinstance(key, Const) else None] = value

    def stored(self, value: Any, name: str) -> Any:
        """A value from code that was not read takes the scale's part where its name says so."""
        return Num(ONE, SCALE) if isinstance(value, Unknown) and self.names_scale(name) else value

    def names_scale(self, name: str) -> bool:
        """Does a name tell the loss scale? A bare ``scale`` only in a project that speaks of loss scales at all."""
        return self.speaks_of_scale and bool(SCALE_NAME.match(name))


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and "__name__" in ast.dump(test)
