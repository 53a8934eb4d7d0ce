"""The data pipelines that a script builds, read without running it: operations with their effective parameters and places.

A script is followed statement by statement, through the project's own functions with the arguments that each call gives them.
Conditions that are known are followed; where one is not, both branches are, and what they leave behind counts only as far as
they agree. What cannot be read stays in the pipeline as a step of its own (`UNREAD`), so that nobody takes it for absent.

Beside the pipelines the order of calls that set, or hang on, the mode of a network is kept.
"""

import ast
import builtins
import re
from typing import Any, Optional

from msprec.source.module import Module, Scope
from msprec.source.names import public_name
from msprec.source.pipeline_values import (
    UNREAD,
    Batches,
    Class,
    Data,
    Function,
    Instance,
    Library,
    Method,
    Mode,
    ModelOf,
    Operation,
    Pipe,
    Place,
    Reading,
    Step,
    Table,
    Use,
    as_argument,
    calculate,
    column_names,
    compute,
    grow,
    has_result,
    is_plain,
    is_simple,
    key_text,
    merge,
    merge_names,
    plain_truth,
    uses_outer_names,
)
from msprec.source.project import Project
from msprec.source.transform_signatures import METHODS, REQUIRED, SIGNATURES
from msprec.source.values import UNKNOWN, Record, Values

_STEPS, _DEPTH, _UNROLLED = 40_000, 24, 16
_TRANSFORMS = re.compile(r"^mindspore\.dataset\.(vision|transforms|audio|text)(\.\w+)*\.(?P<name>[A-Z]\w*)$")
_DATA_SETS = re.compile(r"^mindspore\.dataset(\.\w+)*\.(?P<name>\w+Dataset)$")
_CELLS = re.compile(r"^mindspore\.(mint\.)?nn\.Cell$|^mindspore\.nn\.cell\.Cell$")
_MODEL = re.compile(r"^mindspore\.(train\.)?(model\.)?Model$")
_INFORMATION = {
    "get_dataset_size", "get_batch_size", "get_repeat_count", "get_col_names", "output_shapes", "output_types", "num_classes",
    "get_class_indexing", "reset", "close_pool", "save", "to_json", "dynamic_min_max_shapes", "set_dynamic_columns",
}  # fmt: skip
_TRAINS = re.compile(r"grad|train_step|train_one|trainonestep|optimizer|train_net|backward|\btrain\(", re.IGNORECASE)
_OWN_TRAINING = re.compile(r"value_and_grad|GradOperation|TrainOneStep|\.train\(\s*[^)\s]")
_LABEL = re.compile(r"label|target|^y$|class|^gt$", re.IGNORECASE)
_HANDS_ON = {
    "builtins.enumerate",
    "tqdm.tqdm",
    "builtins.iter",
    "tqdm.auto.tqdm",
    "builtins.reversed",
    "tqdm.notebook.tqdm",
}


class _Exhausted(Exception):
    pass


class _Env:
    """The names of a running function; ``outer``: those around it."""

    __slots__ = ("names", "outer", "scope")

    def __init__(self, scope: Scope, outer: Optional["_Env"] = None):
        self.scope, self.outer, self.names = scope, outer, {}


def read_pipelines(project: Project, values: Values, entry: Module) -> Reading:
    """The pipelines of a script. Never raises: what goes wrong leaves the reading incomplete."""
    reader = _Reader(project, values, entry)
    try:
        reader.block(entry.tree.body, reader.globals[entry.name])
        complete = True
    except (_Exhausted, RecursionError):
        complete = False
    except Exception:  # a construct that the reader does not know must not cost the user the item
        complete = False
    text = project.text_of(entry.file) or ""
    trains = bool(_OWN_TRAINING.search(text)) or any(use.role == "train" for use in reader.uses)
    return Reading(entry.file, reader.uses, reader.made, reader.altered, reader.modes, trains, complete)


class _Reader:
    def __init__(self, project: Project, values: Values, entry: Module):
        self.project, self.values, self.entry = project, values, entry
        self.globals = {entry.name: _Env(entry.scope)}
        self.heap = {}
        self.uses, self.made, self.modes, self.altered = [], [], [], []
        self.steps, self.doubts, self.running = 0, 0, []

    # --- names

    def _tick(self) -> None:
        self.steps += 1
        if self.steps > _STEPS:
            raise _Exhausted

    def _home(self, module: Module) -> _Env:
        if module.name not in self.globals:
            self.globals[module.name] = _Env(module.scope)
        return self.globals[module.name]

    def _name(self, node: ast.Name, env: _Env) -> Any:
        around = env
        while around is not None:
            if node.id in around.names:
                found = around.names[node.id]
                return self._stated(node, env) if found is UNKNOWN else found
            around = around.outer
        found = self._of_module(node.id, env.scope.module)
        return self._stated(node, env) if found is UNKNOWN else found

    def _of_module(self, name: str, module: Module) -> Any:
        """A name at the top level of a module: a definition, an import, or the one value that it is given."""
        bindings = module.scope.bindings.get(name, [])
        if not bindings:
            for star in module.stars:
                home = self.project.module_of(star, module)
                if home is not None and home.scope.bindings.get(name):
                    return self._of_module(name, home)
            return Library(f"builtins.{name}") if name in _BUILTINS else UNKNOWN
        last = bindings[-1]
        if last.kind in ("def", "class"):
            scope = module.scopes[last.value]
            return Class(scope) if last.kind == "class" else Function(scope, self._home(module))
        if last.kind == "import":
            return self._imported(last.value, module)
        if len(bindings) == 1 and last.kind == "assign" and last.value is not None and module is not self.entry:
            home = self._home(module)
            home.names[name] = UNKNOWN  # a value given through itself
            home.names[name] = self.eval(last.value, home)
            return home.names[name]
        return UNKNOWN

    def _imported(self, dotted: str, near: Module) -> Any:
        dotted = self.project.resolve(dotted, near)
        scope = self.project.definition(dotted)
        if scope is not None and scope.parent is not None:
            return Class(scope) if scope.is_class else Function(scope, self._home(scope.module))
        module = self.project.module_of(dotted, near)
        if module is not None:
            return Library(module.name, module)
        head, _, tail = dotted.rpartition(".")
        module = self.project.module_of(head, near) if head else None
        if module is not None and module.scope is not near.scope:
            return self._of_module(tail, module)
        return Library(public_name(dotted))

    def _stated(self, node: ast.AST, env: _Env) -> Any:
        """A constant that the source gives by other means: argparse, YAML, a dataclass, what all callers agree on."""
        found = self.values.of(node, env.scope)
        return UNKNOWN if isinstance(found, Record) else found

    # --- expressions

    def eval(self, node: Optional[ast.AST], env: _Env) -> Any:
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

    def _constant(self, node: ast.Constant, env: _Env) -> Any:
        return node.value

    def _tuple(self, node, env: _Env) -> Any:
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

    def _dict(self, node: ast.Dict, env: _Env) -> Any:
        if any(not isinstance(key, ast.Constant) for key in node.keys):
            return UNKNOWN
        return Table(tuple((key.value, self.eval(value, env)) for key, value in zip(node.keys, node.values)))

    def _ifexp(self, node: ast.IfExp, env: _Env) -> Any:
        known = self._truth(node.test, env)
        if known is not None:
            return self.eval(node.body if known else node.orelse, env)
        return merge(self.eval(node.body, env), self.eval(node.orelse, env))

    def _boolop(self, node: ast.BoolOp, env: _Env) -> Any:
        stops, value = isinstance(node.op, ast.Or), UNKNOWN
        for part in node.values:
            value = self.eval(part, env)
            known = plain_truth(value)
            if known is None:
                return UNKNOWN
            if known == stops:
                return value
        return value

    def _unaryop(self, node: ast.UnaryOp, env: _Env) -> Any:
        value = self.eval(node.operand, env)
        known = plain_truth(value)
        if isinstance(node.op, ast.Not):
            return UNKNOWN if known is None else not known
        if isinstance(value, (int, float)):
            return -value if isinstance(node.op, ast.USub) else value
        return UNKNOWN

    def _binop(self, node: ast.BinOp, env: _Env) -> Any:
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

    def _compare(self, node: ast.Compare, env: _Env) -> Any:
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
            return _COMPARED[type(operator)](left, right)
        except (KeyError, TypeError):
            return UNKNOWN

    def _namedexpr(self, node: ast.NamedExpr, env: _Env) -> Any:
        value = self.eval(node.value, env)
        self.assign(node.target, value, env)
        return value

    def _lambda(self, node: ast.Lambda, env: _Env) -> Any:
        return Function(env.scope.module.scope_of(node), env)

    def _joinedstr(self, node: ast.JoinedStr, env: _Env) -> Any:
        return UNKNOWN

    def _listcomp(self, node, env: _Env) -> Any:
        inner = _Env(env.scope, env)
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

    def _subscript(self, node: ast.Subscript, env: _Env) -> Any:
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

    def _slice(self, node: ast.Slice, env: _Env) -> Any:
        return UNKNOWN

    def _attribute(self, node: ast.Attribute, env: _Env) -> Any:
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

    # --- calls

    def _call(self, node: ast.Call, env: _Env) -> Any:
        owner = None
        if isinstance(node.func, ast.Attribute):
            owner = self.eval(node.func.value, env)
            function = Method(owner, node.func.attr) if owner is UNKNOWN else self._of(owner, node.func.attr)
        else:
            function = self.eval(node.func, env)
        args, keywords, whole = self._arguments(node, env)
        found = self._called(function, args, keywords, node, env, whole)
        if found is UNKNOWN:
            self._handed(function, args, keywords, node, env)
            return self._stated(node, env)
        return found

    def _arguments(self, node: ast.Call, env: _Env) -> tuple:
        """(positional, by name, whether all are known by place and name)."""
        args, keywords, whole = [], {}, True
        for argument in node.args:
            value = self.eval(argument.value if isinstance(argument, ast.Starred) else argument, env)
            if not isinstance(argument, ast.Starred):
                args.append(value)
            elif type(value) is tuple:
                args += value
            else:
                whole = False
        for keyword in node.keywords:
            value = self.eval(keyword.value, env)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            else:
                whole = False
        return args, keywords, whole

    def _called(self, function: Any, args: list, keywords: dict, node: ast.Call, env: _Env, whole: bool) -> Any:
        if isinstance(function, Function):
            return self._run(function, args, keywords, whole)
        if isinstance(function, Class):
            return self._made(function.scope, args, keywords, whole)
        if isinstance(function, Instance):
            return self._call_instance(function, args, keywords, node, whole)
        if isinstance(function, Method):
            return self._call_method(function, args, keywords, node, env, whole)
        if isinstance(function, Library):
            return self._call_library(function.name, args, keywords, node, whole)
        name = ast.unparse(node.func)
        batch = next((value for value in (*args, *keywords.values()) if isinstance(value, Batches)), None)
        if batch is not None or any(mode.network == name for mode in self.modes):
            self._mode("call", name, None, node)
        return UNKNOWN

    def _call_library(self, name: str, args: list, keywords: dict, node: ast.Call, whole: bool) -> Any:
        match = _TRANSFORMS.match(name)
        if match is not None:
            return self._transform(match["name"], args, keywords, whole)
        match = _DATA_SETS.match(name)
        if match is not None:
            return self._data_set(match["name"], args, keywords, node, whole)
        if _MODEL.match(name):
            return ModelOf(args[0] if args else keywords.get("network", UNKNOWN))
        if name in _HANDS_ON and args:
            return args[0]
        if name in ("builtins.list", "builtins.tuple") and len(args) == 1 and type(args[0]) is tuple:
            return args[0]
        if name == "builtins.next" and args and isinstance(args[0], (Batches, Pipe)):
            through = args[0] if isinstance(args[0], Batches) else Batches(args[0])
            self._use(through.pipe, "unknown", node)
            return through
        if name in ("mindspore.Tensor", "mindspore.tensor") and args and isinstance(args[0], Batches):
            return args[0]
        if name.split(".")[0] in _MAKES_ARRAYS and not any(isinstance(value, (Pipe, Batches)) for value in args):
            return self._from_library(name, args, keywords)
        return UNKNOWN

    @staticmethod
    def _from_library(name: str, args: list, keywords: dict) -> Any:
        """Arrays that a library reads or makes, or what it makes of some."""
        last, given = name.rpartition(".")[2], [*args, *keywords.values()]
        arrays = [value for value in given if isinstance(value, Data)]
        if not arrays:
            kept = [repr(value) for value in given if isinstance(value, (bool, float))]
            return Data(f"{name}({', '.join(kept)})")
        if last in _KEEPS:
            return arrays[0]
        return arrays[0]._replace(steps=(*arrays[0].steps, f"{last}({', '.join(map(key_text, given))})"))

    def _transform(self, name: str, args: list, keywords: dict, whole: bool) -> Any:
        if name == "Compose":
            inner = args[0] if args else keywords.get("transforms", UNKNOWN)
            return inner if type(inner) is tuple else Operation(f"{UNREAD}Compose", {}, f"{UNREAD}Compose")
        known = SIGNATURES.get(name, [])
        found = {part: default for part, default in known if default != REQUIRED} if whole else {}
        names = [part for part, _ in known]
        for number, value in enumerate(args):
            found[names[number] if number < len(names) else f"argument_{number + 1}"] = value
        found.update(keywords)
        found.update({part: UNKNOWN for part in names if part not in found})
        shown = {part: as_argument(value) for part, value in found.items()}
        return Operation(name, shown, f"{name}({', '.join(f'{part}={value}' for part, value in shown.items())})")

    def _data_set(self, name: str, args: list, keywords: dict, node: ast.Call, whole: bool) -> Pipe:
        given = {**dict(zip(METHODS.get(name, ()), args)), **keywords}
        source = given.get("source", given.get("data"))
        shown = {key: value for key, value in given.items() if key not in ("source", "data") and is_plain(value)}
        if isinstance(source, (Instance, Function)):
            shown["source"] = source.scope.name
        elif "source" in given or "data" in given:
            shown["source"] = f"{UNREAD}{ast.unparse(node.args[0] if node.args else node)[:60]}"
        if not whole:
            shown[f"{UNREAD}arguments"] = True
        pipe = Pipe((Step(name, shown, self._place(node), source),))
        self.made.append(pipe)
        return pipe

    def _call_method(self, function: Method, args: list, keywords: dict, node: ast.Call, env: _Env, whole: bool) -> Any:
        owner, name = function.owner, function.name
        if isinstance(owner, Pipe):
            return self._of_pipe(owner, name, args, keywords, node, whole)
        if isinstance(owner, Batches):
            return owner if name in ("__next__", "get_next", "asnumpy", "astype", "copy", "values", "get") else UNKNOWN
        made_elsewhere = owner is UNKNOWN or isinstance(owner, Data)
        if isinstance(owner, ModelOf) or (name in ("eval", "predict", "fit", "train") and made_elsewhere):
            return self._of_model(owner, name, args, keywords, node)
        if name == "set_train":
            value = args[0] if args else keywords.get("mode", True)
            network = owner if isinstance(owner, Instance) else ast.unparse(node.func.value)
            self._mode("set", network, value, node)
            return owner
        if isinstance(owner, Data):
            if name in _KEEPS:
                return owner
            given = ", ".join(map(key_text, (*args, *keywords.values())))
            return owner._replace(steps=(*owner.steps, f"{name}({given})"))
        if isinstance(owner, Instance) and name in ("set_grad", "to_float", "add_flags", "half", "recompute"):
            return owner
        if name in ("append", "extend", "insert") and type(owner) is tuple and isinstance(node.func, ast.Attribute):
            grown = grow(owner, name, args)
            self.assign(node.func.value, grown, env)
            return None
        return UNKNOWN

    def _of_model(self, owner: Any, name: str, args: list, keywords: dict, node: ast.Call) -> Any:
        """``model.eval(data)`` and the like; of a model that was not seen made, only where it is handed a data set."""
        role = {"eval": "eval", "predict": "predict", "train": "train", "fit": "train"}.get(name)
        pipes = [value for value in (*args, *keywords.values()) if isinstance(value, (Pipe, Batches))]
        if role is None or (not isinstance(owner, ModelOf) and not pipes):
            return UNKNOWN
        known = isinstance(owner, ModelOf)
        for number, value in enumerate(pipes):
            later = name == "fit" and number > 0
            self._use(value if isinstance(value, Pipe) else value.pipe, "eval" if later else role, node)
        if known:
            self._mode(role, owner.network, None, node)
        return None

    def _of_pipe(self, pipe: Pipe, name: str, args: list, keywords: dict, node: ast.Call, whole: bool) -> Any:
        if name in ("create_dict_iterator", "create_tuple_iterator", "__iter__"):
            return Batches(pipe)
        if name in _INFORMATION:
            return UNKNOWN if name != "reset" else None
        if name == "apply" and args:
            return self._called(args[0], [pipe], {}, node, _Env(self.entry.scope), True)
        given = {**dict(zip(METHODS.get(name, ()), args)), **keywords}
        shown = {
            key: value for key, value in given.items() if key not in ("operations", "per_batch_map") and is_plain(value)
        }
        if name == "map":
            shown["operations"] = self._operations(given.get("operations", UNKNOWN), node)
            shown["input_columns"] = column_names(given.get("input_columns"))
            shown["output_columns"] = column_names(given.get("output_columns"))
        elif name in ("batch", "padded_batch") and given.get("per_batch_map") is not None:
            shown["per_batch_map"] = self._operations(given["per_batch_map"], node)[0]
        elif name == "concat" or name == "zip":
            shown["others"] = len(args)
        elif name not in METHODS and name not in (
            "device_que",
            "sync_wait",
            "bucket_batch_by_length",
            "to_device",
            "sync_update",
        ):
            return UNKNOWN
        if not whole:
            shown[f"{UNREAD}arguments"] = True
        grown = Pipe((*pipe.steps, Step(name, shown, self._place(node))))
        self.made = [one for one in self.made if one is not pipe] + [grown]
        return grown

    def _operations(self, value: Any, node: ast.Call) -> list:
        """The transforms of a map as the texts that a run would record."""
        found = []
        for one in value if type(value) is tuple else (value,):
            if type(one) is tuple:
                found += self._operations(one, node)
            else:
                found.append(self._operation(one, node))
        return found

    def _operation(self, one: Any, node: ast.Call) -> str:
        if isinstance(one, Operation):
            return one.text
        if isinstance(one, Function):
            return self._of_function(one)
        if isinstance(one, Instance):
            return self._of_object(one)
        first = node.args[0] if node.args else node
        return f"{UNREAD}{ast.unparse(first)[:60]}"

    def _of_function(self, function: Function) -> str:
        """As ``module.name``; a lambda by its place. One that uses what a function around it holds cannot be told by that."""
        scope = function.scope
        place = f"{scope.module.file}:{getattr(scope.node, 'lineno', 0)}"
        if (
            scope.parent is not None
            and not scope.parent.is_class
            and scope.parent.parent is not None
            and uses_outer_names(scope)
        ):
            return f"{UNREAD}{scope.name}@{place}"
        return f"<lambda>@{place}" if isinstance(scope.node, ast.Lambda) else scope.qualified

    def _of_object(self, made: Instance) -> str:
        """An object with ``__call__``, with the plain values of its attributes in the order in which they were given."""
        held = [
            (name, value) for (owner, name), value in self.heap.items() if owner is made and not name.startswith("_")
        ]
        if any(value is UNKNOWN for _, value in held):
            return f"{UNREAD}{made.scope.name}"
        simple = [(name, value) for name, value in held if is_simple(value)]
        return f"{made.scope.name}({', '.join(f'{name}={value!r}' for name, value in simple)})"

    # --- functions and objects

    def _run(self, function: Function, args: list, keywords: dict, whole: bool) -> Any:
        scope = function.scope
        if len(self.running) > _DEPTH or self.running.count(scope) > 1:
            return UNKNOWN
        env = _Env(scope, function.env)
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

    def _bind(self, args: ast.arguments, given: list, keywords: dict, env: _Env, whole: bool) -> None:
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

    def _mode(self, what: str, network: Any, value: Any, node: ast.AST) -> None:
        self.modes.append(Mode(what, network, value, self._place(node), self.doubts == 0))

    def _calculated(self, batch: Batches) -> None:
        """Notes that something is calculated from a batch; what the network is given may be another thing."""
        if not (batch.column and _LABEL.search(batch.column)) and batch.pipe not in self.altered:
            self.altered.append(batch.pipe)

    def _handed(self, function: Any, args: list, keywords: dict, node: ast.Call, env: _Env) -> None:
        """A data set that is given to code which was not read."""
        quiet = isinstance(function, Library) and function.name.startswith("builtins.")
        for value in (*args, *keywords.values()):
            if isinstance(value, Pipe) and not quiet:
                trains = _TRAINS.search(ast.unparse(node.func))
                self._use(value, "train" if trains else "unknown", node)

    # --- uses

    def _use(self, pipe: Pipe, role: str, node: ast.AST) -> None:
        use = Use(pipe, role, self._place(node))
        if use not in self.uses:
            self.uses.append(use)

    def _looped(self, through: Any, node: ast.AST, called: bool, *body: ast.AST) -> None:
        """A loop over a data set; ``called``: whether a network was called in it."""
        pipe = through if isinstance(through, Pipe) else through.pipe if isinstance(through, Batches) else None
        if pipe is not None:
            trains = any(_TRAINS.search(ast.unparse(part)) for part in body)
            self._use(pipe, "train" if trains else "loop" if called else "unknown", node)

    def _place(self, node: ast.AST) -> Place:
        scope = self.running[-1] if self.running else self.entry.scope
        return Place(scope.module.file, getattr(node, "lineno", 0))

    # --- statements

    def block(self, statements: list, env: _Env) -> tuple:
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

    def do_import(self, node: ast.Import, env: _Env) -> tuple:
        for alias in node.names:
            top = alias.name.split(".")[0]
            env.names[alias.asname or top] = self._imported(alias.name if alias.asname else top, env.scope.module)
        return [], True

    def do_importfrom(self, node: ast.ImportFrom, env: _Env) -> tuple:
        module = env.scope.module
        home = module.absolute(node.module, node.level)
        for alias in node.names:
            if alias.name != "*":
                env.names[alias.asname or alias.name] = self._imported(f"{home}.{alias.name}", module)
        return [], True

    def do_expr(self, node: ast.Expr, env: _Env) -> tuple:
        self.eval(node.value, env)
        return [], True

    def do_assign(self, node: ast.Assign, env: _Env) -> tuple:
        value = self.eval(node.value, env)
        for target in node.targets:
            self.assign(target, value, env)
        return [], True

    def do_annassign(self, node: ast.AnnAssign, env: _Env) -> tuple:
        if node.value is not None:
            self.assign(node.target, self.eval(node.value, env), env)
        return [], True

    def do_augassign(self, node: ast.AugAssign, env: _Env) -> tuple:
        before, value = self.eval(_loaded(node.target), env), self.eval(node.value, env)
        both = type(before) is tuple and type(value) is tuple and isinstance(node.op, ast.Add)
        if isinstance(before, Data):
            self.assign(node.target, calculate(type(node.op).__name__, before, value), env)
        else:
            self.assign(node.target, before + value if both else compute(node.op, before, value), env)
        return [], True

    def do_return(self, node: ast.Return, env: _Env) -> tuple:
        return [self.eval(node.value, env)], False

    def do_raise(self, node: ast.Raise, env: _Env) -> tuple:
        return [], False

    do_break = do_continue = do_raise

    def do_functiondef(self, node: ast.FunctionDef, env: _Env) -> tuple:
        plain = all(re.search(r"jit|ms_function", ast.unparse(decorator)) for decorator in node.decorator_list)
        scope = env.scope.module.scope_of(node)
        env.names[node.name] = Function(scope, env) if plain else UNKNOWN
        return [], True

    def do_classdef(self, node: ast.ClassDef, env: _Env) -> tuple:
        env.names[node.name] = Class(env.scope.module.scope_of(node))
        return [], True

    def do_if(self, node: ast.If, env: _Env) -> tuple:
        known = self._truth(node.test, env)
        if known is not None:
            return self.block(node.body if known else node.orelse, env)
        self.doubts += 1
        try:
            return self._either([node.body, node.orelse], env)
        finally:
            self.doubts -= 1

    def _either(self, bodies: list, env: _Env) -> tuple:
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

    def do_for(self, node, env: _Env) -> tuple:
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

    def do_while(self, node: ast.While, env: _Env) -> tuple:
        self.eval(node.test, env)
        returns, _ = self._either([node.body, []], env)
        return returns, True

    def do_with(self, node, env: _Env) -> tuple:
        for item in node.items:
            value = self.eval(item.context_expr, env)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, env)
        return self.block(node.body, env)

    do_asyncwith = do_with

    def do_try(self, node: ast.Try, env: _Env) -> tuple:
        returns, falls = self.block(node.body, env)
        if falls:
            found, falls = self.block(node.orelse, env)
            returns += found
        found, ends = self.block(node.finalbody, env)
        return returns + found, falls and ends

    do_trystar = do_try

    def do_delete(self, node: ast.Delete, env: _Env) -> tuple:
        return [], True

    def do_match(self, node, env: _Env) -> tuple:
        self.eval(node.subject, env)
        return self._either([*(case.body for case in node.cases), []], env)

    def _truth(self, test: ast.expr, env: _Env) -> Optional[bool]:
        if isinstance(test, ast.Compare) and "__name__" in ast.dump(test):
            return env.scope.module is self.entry
        known = plain_truth(self.eval(test, env))
        if known is not None:
            return known
        stated = self.values.of(test, env.scope)
        return plain_truth(stated) if stated is not UNKNOWN else None

    def assign(self, target: ast.AST, value: Any, env: _Env) -> None:
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


def _loaded(target: ast.AST) -> ast.AST:
    """The target of ``x += y`` as an expression."""
    made = ast.copy_location(type(target)(**{name: getattr(target, name) for name in target._fields}), target)
    made.ctx = ast.Load()
    return made


_BUILTINS = frozenset(dir(builtins))
#: Libraries whose results are taken for arrays, and what hands arrays on as they are.
_MAKES_ARRAYS = {
    "numpy",
    "pandas",
    "cv2",
    "PIL",
    "scipy",
    "sklearn",
    "skimage",
    "h5py",
    "gzip",
    "pickle",
    "struct",
    "imageio",
    "random",
}
_KEEPS = {"astype", "copy", "asarray", "array", "ascontiguousarray", "tolist", "to_numpy", "float32", "items", "values"}
_COMPARED = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
}  # fmt: skip
