"""What a call gives, by what is called: a function of the project, a class, a method, something of a library."""

import ast
import re
from typing import Any

from msprec.source.interpreter import Class, Env, Function, Interpreter
from msprec.source.module import Scope
from msprec.source.names import words
from msprec.source.pipelines.values import (
    Batches,
    Data,
    Instance,
    LibraryName,
    Method,
    ModelOf,
    Pipe,
    grow,
    has_result,
    key_text,
)
from msprec.source.values import UNKNOWN

_TRANSFORMS = re.compile(r"^mindspore\.dataset\.(vision|transforms|audio|text)(\.\w+)*\.(?P<name>[A-Z]\w*)$")
_DATA_SETS = re.compile(r"^mindspore\.dataset(\.\w+)*\.(?P<name>\w+Dataset)$")
_MODEL = re.compile(r"^mindspore\.(train\.)?(model\.)?Model$")
_HANDS_ON = {
    "builtins.enumerate",
    "tqdm.tqdm",
    "builtins.iter",
    "tqdm.auto.tqdm",
    "builtins.reversed",
    "tqdm.notebook.tqdm",
}
_CELLS = re.compile(r"^mindspore\.(mint\.)?nn\.Cell$|^mindspore\.nn\.cell\.Cell$")
#: Libraries whose results are taken for arrays, and what hands arrays on as they are.
_MAKES_ARRAYS = words("numpy pandas cv2 PIL scipy sklearn skimage h5py gzip pickle struct imageio random")
_KEEPS = {"astype", "copy", "asarray", "array", "ascontiguousarray", "tolist", "to_numpy", "float32", "items", "values"}


class Calls(Interpreter):
    """The part of the reader (`reader.Reader`) that this module is about."""

    def called(self, function: Any, args: list, keywords: dict, whole: bool, node: ast.Call, env: Env) -> Any:
        found = self._called(function, args, keywords, node, env, whole)
        if found is UNKNOWN:
            self._handed(function, args, keywords, node, env)
            return self._stated(node, env)
        return found

    def _called(self, function: Any, args: list, keywords: dict, node: ast.Call, env: Env, whole: bool) -> Any:
        if isinstance(function, Function):
            return self.run(function, args, keywords, whole)
        if isinstance(function, Class):
            return self._made(function.scope, args, keywords, whole)
        if isinstance(function, Instance):
            return self._call_instance(function, args, keywords, node, whole)
        if isinstance(function, Method):
            return self._call_method(function, args, keywords, node, env, whole)
        if isinstance(function, LibraryName):
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

    def _call_method(self, function: Method, args: list, keywords: dict, node: ast.Call, env: Env, whole: bool) -> Any:
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

    # --- functions and classes of the project

    def run(self, function: Function, args: list, keywords: dict, whole: bool = True) -> Any:
        """Arrays that a function gives are told by its name; and by its arguments, where they are arrays."""
        node = function.scope.node
        if isinstance(node, ast.Lambda):
            return super().run(function, args, keywords, whole)
        if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(node)):
            return UNKNOWN
        value = super().run(function, args, keywords, whole)
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

    def _made(self, scope: Scope, args: list, keywords: dict, whole: bool) -> Instance:
        cell = any(_CELLS.match(name) for name in self.project.bases(scope))
        cell = cell or self.project.method(scope, "construct") is not None
        made = Instance(scope, args, keywords, cell)
        init = self.project.method(scope, "__init__")
        if init is not None and not cell:
            self.run(Function(init, self.module_env(init.module), made), args, keywords, whole)
        return made

    def _call_instance(self, made: Instance, args: list, keywords: dict, node: ast.Call, whole: bool) -> Any:
        if made.cell:
            self._mode("call", made, None, node)
            return UNKNOWN
        method = self.project.method(made.scope, "__call__")
        return (
            self.run(Function(method, self.module_env(method.module), made), args, keywords, whole)
            if method
            else UNKNOWN
        )
