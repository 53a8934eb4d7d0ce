"""Instances of the project's classes, with what training cells and optimizers of MindSpore give to their subclasses."""

import ast
from typing import Any, Optional

from msprec.source.flow.abstract_values import (
    SCALE,
    Const,
    LibObj,
    MethodOfValue,
    Num,
    Obj,
    Truth,
    Tup,
    Unknown,
    as_num,
    holds_gradient,
)
from msprec.source.flow.mindspore_semantics import ONE, is_optimizer_base, is_step_base
from msprec.source.interpreter import Class, Env, Function, Interpreter
from msprec.source.module import Scope


class Objects(Interpreter):
    """The part of the machine (`machine.Machine`) that this module is about."""

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
            return MethodOfValue(base, "scale_grad")
        return MethodOfValue(base, name)

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
