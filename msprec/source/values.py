"""The constants that expressions stand for: through variables, attributes, dataclasses, argparse defaults, YAML files.

`Values.of` gives a plain Python value or `UNKNOWN`; objects that only hold settings come back as `Record`. Nothing is run.
"""

import ast
import json
import operator
from collections.abc import Iterable
from typing import Any, Optional

from msprec.source.module import Binding, Scope, signature_place
from msprec.source.names import words
from msprec.source.project import Project

_DEEPEST = 16
#: Expressions looked at for one question; a parameter of many calls leads to many of them.
_STEPS = 800


class _Unknown:
    """The value that is not known before the script runs."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false")


UNKNOWN = _Unknown()


class Record:
    """Settings by name: a namespace of argparse, a dataclass, a dictionary with attributes. ``others``: may hold more."""

    def __init__(self, values: dict, others: bool = False):
        self.values, self.others = values, others

    def get(self, name: str) -> Any:
        """The setting of that name, or UNKNOWN."""
        return self.values.get(name, UNKNOWN)


BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_CONVERSIONS = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "abs": abs,
    "round": round,
    "len": len,
    "tuple": tuple,
    "list": list,
    "max": max,
    "min": min,
}
#: Calls that hand their argument on as it is.
_SAME = words(
    """
    mindspore.Tensor mindspore.tensor mindspore.Parameter torch.tensor numpy.array numpy.float32 numpy.asarray
    mindspore.mutable
    """
)
_RECORDS = words(
    """
    easydict.EasyDict addict.Dict argparse.Namespace types.SimpleNamespace builtins.dict
    omegaconf.OmegaConf.create ml_collections.ConfigDict collections.OrderedDict
    """
)
_YAML = {"yaml.load", "yaml.safe_load", "yaml.full_load", "omegaconf.OmegaConf.load", "json.load"}


class Values:
    """Evaluates expressions of a project. ``command``: the arguments that the script was run with, where they are known."""

    def __init__(self, project: Project, command: Optional[list] = None):
        self.project = project
        self.command = command
        self._documents = {}
        self._answers, self._left = {}, 0
        self._busy = set()

    def of(self, node: Optional[ast.AST], scope: Scope, depth: int = 0) -> Any:
        """The value of an expression in its scope, or UNKNOWN."""
        if node is None or depth > _DEEPEST:
            return UNKNOWN
        if depth == 0:
            return self._asked(node, scope)
        self._left -= 1
        if self._left < 0:
            return UNKNOWN
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            return UNKNOWN
        key = (id(node), id(scope))
        if key in self._busy:  # a name that is given through itself
            return UNKNOWN
        self._busy.add(key)
        try:
            return handler(node, scope, depth + 1)
        except (ArithmeticError, TypeError, ValueError, IndexError, KeyError, AttributeError, RecursionError):
            return UNKNOWN
        finally:
            self._busy.discard(key)

    def _asked(self, node: ast.AST, scope: Scope) -> Any:
        """A question from outside: answered once, within its own budget of steps."""
        key = (id(node), id(scope))
        if key not in self._answers:
            outer, self._left = self._left, _STEPS
            # the node is kept with its answer, so that no other can take its id
            self._answers[key] = node, self.of(node, scope, 1)
            self._left = outer
        return self._answers[key][1]

    # --- expressions

    def _constant(self, node: ast.Constant, scope: Scope, depth: int) -> Any:
        return node.value

    def _tuple(self, node, scope: Scope, depth: int) -> Any:
        parts = [self.of(part, scope, depth) for part in node.elts]
        return UNKNOWN if any(part is UNKNOWN for part in parts) else tuple(parts)

    def _list(self, node, scope: Scope, depth: int) -> Any:
        parts = self._tuple(node, scope, depth)
        return parts if parts is UNKNOWN else list(parts)

    def _dict(self, node: ast.Dict, scope: Scope, depth: int) -> Any:
        values, others = {}, False
        for key, value in zip(node.keys, node.values):
            inner = self.of(value, scope, depth) if key is None else None
            if isinstance(inner, Record):
                values.update(inner.values)
                others = others or inner.others
            elif key is None:
                others = True
            else:
                name = self.of(key, scope, depth)
                if name is UNKNOWN:
                    others = True
                else:
                    values[name] = self.of(value, scope, depth)
        return Record(values, others)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope, depth: int) -> Any:
        value = self.of(node.operand, scope, depth)
        if value is UNKNOWN or isinstance(value, Record):
            return UNKNOWN
        return {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}[type(node.op)](value)

    def _binop(self, node: ast.BinOp, scope: Scope, depth: int) -> Any:
        left, right = self.of(node.left, scope, depth), self.of(node.right, scope, depth)
        if any(part is UNKNOWN or isinstance(part, Record) for part in (left, right)):
            return UNKNOWN
        if isinstance(node.op, (ast.Pow, ast.LShift)) and (abs(right) > 400 or abs(left) > 1e6):
            return UNKNOWN
        if isinstance(node.op, ast.Mult) and (
            isinstance(left, (str, list, tuple)) or isinstance(right, (str, list, tuple))
        ):
            return UNKNOWN
        return BINARY[type(node.op)](left, right)

    def _compare(self, node: ast.Compare, scope: Scope, depth: int) -> Any:
        values = [self.of(part, scope, depth) for part in (node.left, *node.comparators)]
        if any(value is UNKNOWN for value in values):
            return UNKNOWN
        return all(COMPARE[type(op)](a, b) for op, a, b in zip(node.ops, values, values[1:]))

    def _boolop(self, node: ast.BoolOp, scope: Scope, depth: int) -> Any:
        stops = isinstance(node.op, ast.Or)
        unknown, value = False, UNKNOWN
        for part in node.values:
            value = self.of(part, scope, depth)
            if value is UNKNOWN or isinstance(value, Record):
                unknown = True
            elif bool(value) == stops:
                return UNKNOWN if unknown and not isinstance(value, bool) else value
        return UNKNOWN if unknown else value

    def _ifexp(self, node: ast.IfExp, scope: Scope, depth: int) -> Any:
        test = self.of(node.test, scope, depth)
        if test is not UNKNOWN and not isinstance(test, Record):
            return self.of(node.body if test else node.orelse, scope, depth)
        both = self.of(node.body, scope, depth), self.of(node.orelse, scope, depth)
        return both[0] if both[0] is not UNKNOWN and same(*both) else UNKNOWN

    def _namedexpr(self, node: ast.NamedExpr, scope: Scope, depth: int) -> Any:
        return self.of(node.value, scope, depth)

    def _subscript(self, node: ast.Subscript, scope: Scope, depth: int) -> Any:
        base, key = self.of(node.value, scope, depth), self.of(node.slice, scope, depth)
        if base is UNKNOWN or key is UNKNOWN:
            return UNKNOWN
        return base.get(key) if isinstance(base, Record) else base[key]

    def _name(self, node: ast.Name, scope: Scope, depth: int) -> Any:
        home, bindings = scope.lookup(node.id)
        if home is None:
            found = self.project.qualified(node, scope)
            return self._elsewhere(found, scope, depth) if found else UNKNOWN
        if self._changed(node.id, home):
            return UNKNOWN
        return self._one(_so_far(bindings, node, home) if home is scope else bindings, home, node.id, depth)

    def _changed(self, name: str, home: Scope) -> bool:
        """Is the name bound again in another scope (``global``)? Then its value depends on the order of the run."""
        return any(b.kind == "other" and isinstance(b.node, ast.Global) for b in home.bindings.get(name, []))

    def _one(self, bindings: list, home: Scope, name: str, depth: int) -> Any:
        """The value when all bindings agree."""
        return agreed(self._bound(binding, home, name, depth) for binding in bindings)

    def _bound(self, binding: Binding, home: Scope, name: str, depth: int) -> Any:
        if binding.kind == "import":
            return self._elsewhere(self.project.resolve(binding.value, home.module), home, depth)
        if binding.kind == "parameter":
            return self._parameter(binding, home, name, depth)
        if binding.kind == "with":
            return self.of(binding.value, home, depth)
        if binding.kind == "assign" and binding.value is not None:
            value = self.of(binding.value, home, depth)
            return self._amended(value, name, home) if isinstance(value, Record) else value
        if binding.kind == "part" and binding.value is not None:
            value = self.of(binding.value, home, depth)
            for index in binding.index:
                value = UNKNOWN if value is UNKNOWN or isinstance(value, Record) else value[index]
            return value
        return UNKNOWN

    def _amended(self, record: Record, name: str, home: Scope) -> Record:
        """A record less the attributes that the scope assigns afterwards (``args.rate = …``)."""
        changed = [key.split(".", 1)[1] for key in home.bindings if key.startswith(f"{name}.")]
        if not changed:
            return record
        values = dict(record.values)
        for key in changed:
            given = [self._bound(b, home, "", 1) for b in home.bindings[f"{name}.{key}"]]
            before = values.get(key, UNKNOWN)
            values[key] = before if all(value is not UNKNOWN and same(value, before) for value in given) else UNKNOWN
        return Record(values, record.others)

    def _parameter(self, binding: Binding, home: Scope, name: str, depth: int) -> Any:
        """A parameter: what every call in the project hands over, where all agree; else its default when nobody calls."""
        target, position = signature_place(home, name)
        if target is None or (position is None and name not in [arg.arg for arg in home.node.args.kwonlyargs]):
            return UNKNOWN
        calls = self.calls_of(target)
        default = self.of(binding.value, home.parent or home, depth) if binding.value is not None else UNKNOWN
        if not calls:
            return default
        return agreed(self._handed(call, name, position, default, depth) for call in calls[:40])

    def calls_of(self, target: Scope) -> list:
        """The calls that may hand a function or class of the project its arguments."""
        return self.project.calls_of(target.qualified)

    def _handed(self, call, name: str, position: Optional[int], default: Any, depth: int) -> Any:
        for keyword in call.node.keywords:
            if keyword.arg == name:
                return self.of(keyword.value, call.scope, depth)
        if any(keyword.arg is None for keyword in call.node.keywords):
            return UNKNOWN
        if any(isinstance(argument, ast.Starred) for argument in call.node.args):
            return UNKNOWN
        if position is not None and position < len(call.node.args):
            return self.of(call.node.args[position], call.scope, depth)
        return default

    def _elsewhere(self, dotted: str, scope: Scope, depth: int) -> Any:
        """A module's constant by its dotted name."""
        parts = dotted.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = self.project.modules.get(".".join(parts[:length]))
            if module is None:
                continue
            name = parts[length]
            bindings = module.scope.bindings.get(name, [])
            if not bindings or self._changed(name, module.scope):
                return UNKNOWN
            value = self._one(bindings, module.scope, name, depth)
            for part in parts[length + 1 :]:
                value = value.get(part) if isinstance(value, Record) else UNKNOWN
            return value
        return _CONSTANTS.get(dotted, UNKNOWN)

    def _attribute(self, node: ast.Attribute, scope: Scope, depth: int) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and scope.owner is not None:
            return self._own(node.attr, scope.owner, depth)
        base = self.of(node.value, scope, depth)
        if isinstance(base, Record):
            return base.get(node.attr)
        dotted = self.project.qualified(node, scope)
        if dotted is None:
            return UNKNOWN
        made = self.project.definition(dotted.rpartition(".")[0])
        if made is not None and made.is_class:
            return self._own(node.attr, made, depth)
        return self._elsewhere(dotted, scope, depth)

    def _own(self, name: str, owner: Scope, depth: int) -> Any:
        """An attribute of a class or of its instances."""
        given = [(b, s) for s, b in owner.self_attributes.get(name, [])]
        if given:
            return agreed(self._bound(binding, home, name, depth) for binding, home in given)
        if name in owner.bindings:
            return self._one(owner.bindings[name], owner, name, depth)
        return UNKNOWN

    # --- calls

    def _call(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        if isinstance(node.func, ast.Attribute):
            found = self._method(node, scope, depth)
            if found is not None:
                return found
        name = self.project.qualified(node.func, scope)
        if name is None:
            return UNKNOWN
        if name in _RECORDS:
            return self._record(node, scope, depth)
        if name in _YAML:
            return self._document(node, scope, depth)
        if name in ("builtins.vars",) and node.args:
            return self.of(node.args[0], scope, depth)
        if name in _SAME and node.args:
            return self.of(node.args[0], scope, depth)
        if name in ("builtins.open", "io.open") and node.args:
            return self.of(node.args[0], scope, depth)
        if name.startswith(("os.path.", "pathlib.")):
            return self._path(name, node, scope, depth)
        last = name.rpartition(".")[2]
        if name.startswith("builtins.") and last in _CONVERSIONS and not node.keywords:
            values = [self.of(argument, scope, depth) for argument in node.args]
            known = values and not any(value is UNKNOWN or isinstance(value, Record) for value in values)
            return _CONVERSIONS[last](*values) if known else UNKNOWN
        return self._own_call(name, node, scope, depth)

    def _own_call(self, name: str, node: ast.Call, scope: Scope, depth: int) -> Any:
        target = self.project.definition(name)
        if target is None:
            return UNKNOWN
        if target.is_class:
            return self._instance(target, node, scope, depth)
        returns = [part for part in ast.walk(target.node) if isinstance(part, ast.Return) and part.value is not None]
        if len(returns) != 1:
            return UNKNOWN
        return self.of(returns[0].value, target, depth)

    def _instance(self, owner: Scope, node: ast.Call, scope: Scope, depth: int) -> Any:
        """An instance of a class of settings: a dataclass, or one whose __init__ stores constants."""
        values = {}
        for name in owner.bindings:
            binding = owner.bindings[name][-1]
            if binding.kind == "assign":
                value = _field_default(binding.value)
                values[name] = self.of(value, owner, depth) if value is not None else UNKNOWN
        fields = list(values)
        for name in owner.self_attributes:
            values[name] = self._own(name, owner, depth)
        if any(self._is_dataclass(decorator, owner) for decorator in owner.node.decorator_list):
            for name, argument in zip(fields, node.args):
                values[name] = self.of(argument, scope, depth)
            for keyword in node.keywords:
                if keyword.arg is not None:
                    values[keyword.arg] = self.of(keyword.value, scope, depth)
        return Record(values, others=True)

    def _is_dataclass(self, decorator: ast.AST, owner: Scope) -> bool:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        return (self.project.qualified(function, owner.parent or owner) or "").endswith("dataclass")

    def _record(self, node: ast.Call, scope: Scope, depth: int) -> Record:
        record = Record({})
        for argument in node.args[:1]:
            inner = self.of(argument, scope, depth)
            record = Record(dict(inner.values), inner.others) if isinstance(inner, Record) else Record({}, True)
        for keyword in node.keywords:
            if keyword.arg is None:
                inner = self.of(keyword.value, scope, depth)
                record.values.update(inner.values if isinstance(inner, Record) else {})
                record.others = record.others or not isinstance(inner, Record)
            else:
                record.values[keyword.arg] = self.of(keyword.value, scope, depth)
        return record

    def _method(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        """``parser.parse_args()``, ``settings.get(…)`` and the like; None when it is something else."""
        name = node.func.attr
        if name in ("parse_args", "parse_known_args"):
            found = self._namespace(node, scope, depth)
            return (found, UNKNOWN) if name == "parse_known_args" else found
        if name in ("get", "copy", "item"):
            base = self.of(node.func.value, scope, depth)
            if isinstance(base, Record) and name == "copy":
                return base
            if isinstance(base, Record) and name == "get" and node.args:
                key = self.of(node.args[0], scope, depth)
                if key is UNKNOWN or (key not in base.values and base.others):
                    return UNKNOWN
                default = self.of(node.args[1], scope, depth) if len(node.args) > 1 else None
                return base.values.get(key, default)
        return None

    def _namespace(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        """The namespace that a parser of this module gives: its defaults, overlaid with the command where it is known."""
        module = scope.module
        values, others = {}, False
        for call in module.calls:
            function = call.node.func
            if not isinstance(function, ast.Attribute):
                continue
            if function.attr == "add_argument":
                name, value = self._option(call, depth)
                values[name] = value
            elif function.attr in ("set_defaults", "add_subparsers", "parse_args") and function.attr == "set_defaults":
                for keyword in call.node.keywords:
                    if keyword.arg:
                        values[keyword.arg] = self.of(keyword.value, call.scope, depth)
        return Record(values, others)

    def _option(self, call, depth: int) -> tuple:
        """(attribute, value) of one ``add_argument``."""
        node, scope = call.node, call.scope
        flags = [self.of(argument, scope, depth) for argument in node.args]
        flags = [flag for flag in flags if isinstance(flag, str)]
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        long = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
        name = self.of(given.get("dest"), scope, depth)
        name = name if isinstance(name, str) else long.lstrip("-").replace("-", "_")
        action = self.of(given.get("action"), scope, depth)
        value = self.of(given["default"], scope, depth) if "default" in given else _action_default(action)
        convert = self.project.qualified(given["type"], scope) if "type" in given else None
        if self.command is not None:
            spoken, found = _spoken(self.command, flags, action)
            value = found if spoken else value
        return name, _converted(value, convert)

    def _document(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        """The content of a YAML or JSON file of the project."""
        path = self.of(node.args[0], scope, depth) if node.args else UNKNOWN
        if not isinstance(path, str):
            return UNKNOWN
        wanted = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        names = [name for name in self.project.data if name.split("/")[-len(wanted) :] == wanted]
        if len(names) != 1:
            return UNKNOWN
        if names[0] not in self._documents:
            self._documents[names[0]] = _loaded(names[0], self.project.data[names[0]])
        return self._documents[names[0]]

    def _path(self, name: str, node: ast.Call, scope: Scope, depth: int) -> Any:
        """The tail of a path: what cannot be known in front of it is left out."""
        last = name.rpartition(".")[2]
        parts = [self.of(argument, scope, depth) for argument in node.args]
        if last in ("join", "Path", "PurePath"):
            known = [part for part in parts if isinstance(part, str)]
            return "/".join(known) if parts and isinstance(parts[-1], str) else UNKNOWN
        if last in ("abspath", "realpath", "expanduser", "normpath"):
            return parts[0] if parts and isinstance(parts[0], str) else UNKNOWN
        return UNKNOWN


_CONSTANTS = {"math.pi": 3.141592653589793, "math.inf": float("inf"), "numpy.inf": float("inf")}


def _so_far(bindings: list, node: ast.Name, home: Scope) -> list:
    """Of the bindings of a function's name those that can have been made where it is read: later ones only in a loop."""
    line = getattr(node, "lineno", None)
    if len(bindings) < 2 or line is None or not isinstance(home.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return bindings
    later = [b for b in bindings if b.kind != "parameter" and getattr(b.node, "lineno", 0) > line]
    if not later:
        return bindings
    loops = [part for part in ast.walk(home.node) if isinstance(part, (ast.For, ast.While, ast.AsyncFor))]
    if any(loop.lineno <= line <= (loop.end_lineno or line) for loop in loops):
        return bindings
    return [b for b in bindings if b not in later] or bindings


def agreed(values: Iterable) -> Any:
    """The value that all of them are; UNKNOWN at the first that is not known or differs, and the rest is not asked for."""
    values = iter(values)
    first = next(values, UNKNOWN)
    return (
        first
        if first is not UNKNOWN and all(value is not UNKNOWN and same(first, value) for value in values)
        else UNKNOWN
    )


def same(one: Any, other: Any) -> bool:
    """Are two values the same setting? 1 and 1.0 are; True and 1 are not."""
    if one is other:
        return True
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, Record) and isinstance(other, Record):
        alike = one.values.keys() == other.values.keys()
        return alike and all(
            value is other.values[key] or same(value, other.values[key]) for key, value in one.values.items()
        )
    if isinstance(one, (Record, _Unknown)) or isinstance(other, (Record, _Unknown)):
        return False
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def _field_default(node: Optional[ast.AST]) -> Optional[ast.AST]:
    """The default in a dataclass: the value itself, or that of ``field(default=…)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if called in ("field", "Field"):
            return next((keyword.value for keyword in node.keywords if keyword.arg == "default"), None)
    return node


def _action_default(action: Any) -> Any:
    if action == "store_true":
        return False
    if action == "store_false":
        return True
    return None


def _spoken(command: list, flags: list, action: Any) -> tuple:
    """(whether the command names the option, its value)."""
    for number, word in enumerate(command):
        for flag in flags:
            if word == flag and flag.startswith("-"):
                if action in ("store_true", "store_false"):
                    return True, action == "store_true"
                return (True, command[number + 1]) if number + 1 < len(command) else (True, UNKNOWN)
            if flag.startswith("--") and word.startswith(f"{flag}="):
                return True, word.partition("=")[2]
    return False, None


def _converted(value: Any, convert: Optional[str]) -> Any:
    if not isinstance(value, str) or convert is None:
        return value
    if convert in ("builtins.int", "builtins.float"):
        return _CONVERSIONS[convert.rpartition(".")[2]](value)
    if convert == "builtins.bool":
        return bool(value)
    lowered = value.lower()
    if convert != "builtins.str" and lowered in ("true", "false", "yes", "no", "1", "0"):
        return lowered in ("true", "yes", "1")
    return value if convert == "builtins.str" else UNKNOWN


def _loaded(name: str, text: str) -> Any:
    try:
        if name.endswith(".json"):
            return _as_record(json.loads(text))
        import yaml

        return _as_record(yaml.safe_load(text))
    except Exception:  # a file that is not what its name says; PyYAML raises many kinds
        return UNKNOWN


def _as_record(value: Any) -> Any:
    if isinstance(value, dict):
        return Record({key: _as_record(entry) for key, entry in value.items()})
    if isinstance(value, list):
        return [_as_record(entry) for entry in value]
    return value
