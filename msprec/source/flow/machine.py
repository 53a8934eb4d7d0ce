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
    Choice,
    Const,
    GradientOf,
    Lib,
    LibObj,
    Mapping,
    Method,
    Num,
    Obj,
    Partial,
    Truth,
    Tup,
    Unknown,
    as_num,
    holds_gradient,
    joined,
)
from msprec.source.flow.events import Event
from msprec.source.flow.mindspore_semantics import ONE, SCALE_NAME, Library, is_optimizer_base, is_step_base, last
from msprec.source.interpreter import Class, Env, Function, Interpreter, Place
from msprec.source.module import Module, Scope, loaded
from msprec.source.project import LIBRARIES, Project
from msprec.source.values import COMPARE, UNKNOWN, Record, Values

_SPEAKS = re.compile(r"loss_?scal|unscale|scaling_sens|scale_sense|\bsens\b", re.IGNORECASE)
_DECIDES = re.compile(
    r"clip|clamp|unscale|loss_?scal|scaler|\bsens\b|scale_sense|scaling_sens|penalt|grad_scale|value_and_grad|GradOperation",
    re.IGNORECASE,
)


class Machine(Interpreter):
    """One way through the script; ``assumed`` holds the conditions that were decided beforehand."""

    def __init__(self, project: Project, values: Values, assumed: Optional[dict] = None):
        super().__init__(project, values)
        self.assumed = dict(assumed or {})
        self.consulted, self.events = [], []
        self.library = Library(self)
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

    # --- values

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

    # --- expressions

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
            if not isinstance(left, (Unknown, Truth, Choice)):
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

    def _attribute(self, node: ast.Attribute, env: Env) -> Any:
        if _is_super(node.value):
            owner = self._self(env)
            return Method(owner, node.attr) if isinstance(owner, Obj) else Unknown("super")
        base = self.eval(node.value, env)
        found = self.attribute(base, node.attr, node)
        if isinstance(base, (Unknown, Lib, Method, Const)) and isinstance(found, (Unknown, Method)):
            stated = self.setting(node, env)
            return found if isinstance(stated, Unknown) else stated
        return found

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

    # --- attributes

    def attribute(self, base: Any, name: str, node: Optional[ast.AST]) -> Any:
        """``base.name``."""
        if isinstance(base, Choice):
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
        return Method(base, name)

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

    def _of_object(self, base: Obj, name: str, node: Optional[ast.AST]) -> Any:
        if name in base.attributes:
            return base.attributes[name]
        method = self.project.method(base.cls.scope, name)
        if method is not None:
            env = self._env_of(method, base.cls.env)
            decorators = {ast.unparse(part).rpartition(".")[2] for part in method.node.decorator_list}
            function = Function(method, env, None if "staticmethod" in decorators else base)
            return self.call(function, [], {}, node) if "property" in decorators else function
        found = self._class_variable(base.cls, name)
        if not isinstance(found, Unknown):
            return found
        return self._inherited(base, name)

    def _env_of(self, method: Scope, near: Env) -> Env:
        """The module's names of a method that a base in another file defines."""
        if method.module.name in self.modules:
            return self.modules[method.module.name]
        return self.module(method.module) if method.module is not near.scope.module else near

    def _class_variable(self, cls: Class, name: str) -> Any:
        for scope in [cls.scope, *filter(None, map(self.project.definition, self.project.bases(cls.scope)))]:
            binding = next((b for b in scope.bindings.get(name, []) if b.kind == "assign"), None)
            if binding is not None and binding.value is not None:
                env = self.modules.get(scope.module.name) or self.module(scope.module)
                return self.eval(binding.value, Env(scope, env))
        return Unknown(name)

    def _inherited(self, base: Obj, name: str) -> Any:
        """What a training cell or an optimizer of MindSpore's gives to its subclasses."""
        if is_step_base(base.base):
            found = _STEP_ATTRIBUTES.get(name)
            if found is not None:
                base.attributes[name] = found(base)
                return base.attributes[name]
        if is_optimizer_base(base.base) and name == "scale_grad":
            return Method(base, "scale_grad")
        return Method(base, name)

    # --- calls

    def _call(self, node: ast.Call, env: Env) -> Any:
        if _is_super(node):
            return Unknown("super")
        if isinstance(node.func, ast.Attribute) and _is_super(node.func.value):
            return self._super(node, env)
        return super()._call(node, env)

    def called(self, function: Any, args: list, keywords: dict, whole: bool, node: ast.Call, env: Env) -> Any:
        if isinstance(function, Unknown) or (isinstance(function, Method) and isinstance(function.owner, Unknown)):
            value = self.values.of(node, env.scope)
            if value is not UNKNOWN and not isinstance(value, Record):
                return wrapped(value)
        return self.call(function, args, keywords, node)

    def parts(self, value: Any) -> Optional[list]:
        return value.parts if isinstance(value, Tup) else None

    def named_parts(self, value: Any) -> dict:
        parts = value.parts if isinstance(value, Mapping) else {}
        return {key: part for key, part in parts.items() if isinstance(key, str)}

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
        if isinstance(function, Choice):
            return joined([self.call(part, args, keywords, node) for part in function.parts])
        if isinstance(function, Lib):
            return self._call_library(function, args, keywords, node)
        if isinstance(function, LibObj):
            return self.library.call_object(function, args, keywords, node)
        if isinstance(function, Method):
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

    def _call_method(self, method: Method, args: list, keywords: dict, node) -> Any:
        owner = method.owner
        if isinstance(owner, Obj):
            return self._base_method(owner, method.name, args, keywords, node)
        return self.library.method(owner, method.name, args, keywords, node)

    def _base_method(self, owner: Obj, name: str, args: list, keywords: dict, node) -> Any:
        """A method that a class of the project inherits from MindSpore's."""
        if name == "start_overflow_check":
            return Tup([Unknown("status"), args[1] if len(args) > 1 else Unknown()])
        if name in ("get_overflow_status", "process_loss_scale"):
            return Truth()
        if name == "scale_grad" and args:
            divisor = as_num(owner.attributes.get("loss_scale"))
            gradients = as_num(args[0])
            if divisor is None or divisor.value == 1 or gradients is None:
                return args[0]
            return self.product(gradients, divisor, True, node)
        if name == "construct" and is_step_base(owner.base):
            return self.library.stock_step(self._as_stock(owner), args, node)
        if name == "construct" and is_optimizer_base(owner.base):
            return self.library.update(owner, args, node)
        if name in ("set_train", "to_float", "add_flags", "set_grad", "recompute", "half", "to", "train", "eval"):
            return owner
        gradient = next((value for value in args if holds_gradient(value)), None)
        if gradient is not None:  # Optimizer's decay_weight, flatten_gradients, gradients_centralization, …
            return gradient
        return Unknown(name)

    @staticmethod
    def _as_stock(owner: Obj) -> LibObj:
        keep = owner.attributes
        return LibObj(
            owner.base,
            [],
            {name: keep[name] for name in ("network", "optimizer", "scale_sense", "sens") if name in keep},
        )

    def _call_instance(self, instance: Obj, args: list, keywords: dict, node) -> Any:
        for name in ("construct", "__call__"):
            method = self.project.method(instance.cls.scope, name)
            if method is not None:
                found = self.run(Function(method, self._env_of(method, instance.cls.env), instance), args, keywords)
                if is_optimizer_base(instance.base):
                    self.library.update(instance, args, node)
                return found
        return self._base_method(instance, "construct", args, keywords, node)

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

    def _instance(self, cls: Class, args: list, keywords: dict, node: Optional[ast.AST]) -> Any:
        base = next((name for name in self.project.bases(cls.scope) if self.project.definition(name) is None), "")
        made = Obj(cls, self._step_base(cls) or base)
        init = self.project.method(cls.scope, "__init__")
        if init is not None:
            self.run(Function(init, self._env_of(init, cls.env), made), args, keywords)
        else:
            self._base_init(made, args, keywords)
        return made

    def _step_base(self, cls: Class) -> str:
        names = self.project.bases(cls.scope)
        return next((name for name in names if is_step_base(name) or is_optimizer_base(name)), "")

    def _super(self, node: ast.Call, env: Env) -> Any:
        """``super().method(…)``: of a base in the project, else of the library's class."""
        owner = self._self(env)
        args, keywords, _ = self.arguments(node, env)
        if not isinstance(owner, Obj):
            return Unknown("super")
        here = env.scope.owner
        bases = self.project.bases(here) if here is not None else []
        for base in bases:
            scope = self.project.definition(base)
            found = [b for b in scope.bindings.get(node.func.attr, []) if b.kind == "def"] if scope is not None else []
            if found:
                method = scope.module.scopes[found[-1].value]
                return self.run(Function(method, self._env_of(method, owner.cls.env), owner), args, keywords)
        if node.func.attr == "__init__":
            self._base_init(owner, args, keywords)
            return Const(None)
        return self._base_method(owner, node.func.attr, args, keywords, node)

    @staticmethod
    def _self(env: Optional[Env]) -> Any:
        while env is not None and env.owner is None:
            env = env.outer
        return env.owner if env is not None else None

    def _base_init(self, made: Obj, args: list, keywords: dict) -> None:
        """What the constructor of a training cell or an optimizer of MindSpore's stores."""
        if is_step_base(made.base):
            names = ["network", "optimizer", "scale_sense" if "LossScale" in made.base else "sens"]
            given = {**dict(zip(names, args)), **keywords}
            for name, value in given.items():
                if name == "scale_sense":
                    made.attributes["scale_sense"] = self.library.sense(value)
                    managed = isinstance(value, LibObj)
                    made.attributes["loss_scaling_manager"] = value if managed else Const(None)
                elif name == "sens":
                    number = as_num(value)
                    made.attributes["sens"] = number if number is not None else Num(value=1.0)
                else:
                    made.attributes[name] = value
            if "LossScale" not in made.base and "sens" not in given:
                made.attributes["sens"] = Num(value=1.0)
        elif is_optimizer_base(made.base):
            made.attributes.setdefault("loss_scale", keywords.get("loss_scale", Num(value=1.0)))

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
                value = found if isinstance(found, (Function, Obj, Partial, Choice)) else value
        return value

    def rounds(self, value: Any) -> list:
        """Up to eight parts that are known; else two rounds, so that what an iteration leaves behind meets the next one."""
        parts = value.parts if isinstance(value, Tup) and 1 < len(value.parts) <= 8 else None
        return parts or [self.element(value)] * 2

    def handlers(self, node: ast.Try) -> list:
        """All but those of imports that fail."""
        return [
            h for h in node.handlers if h.type is None or _last(h.type) not in ("ImportError", "ModuleNotFoundError")
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


_STEP_ATTRIBUTES = {
    "scale_sense": lambda made: Num(ONE, SCALE),
    "sens": lambda made: Num(value=1.0),
    "grad": lambda made: LibObj(
        "mindspore.ops.GradOperation", [], {"get_by_list": Const(True), "sens_param": Const(True)}
    ),
    "grad_no_sens": lambda made: LibObj("mindspore.ops.GradOperation", [], {"get_by_list": Const(True)}),
    "hyper_map": lambda made: LibObj("mindspore.ops.HyperMap", [], {}),
    "grad_reducer": lambda made: LibObj("mindspore.nn.Identity", [], {}),
    "weights": lambda made: Unknown("weights"),
    "loss_scaling_manager": lambda made: LibObj("mindspore.nn.DynamicLossScaleUpdateCell", [], {}),
    "sense_flag": lambda made: Const(True),
    "reducer_flag": lambda made: Truth(),
    "allreduce": lambda made: LibObj("mindspore.nn.Identity", [], {}),
}


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


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and "__name__" in ast.dump(test)


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
