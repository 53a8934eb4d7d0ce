"""Data sets, their methods and the transforms in them, with the arguments that take effect."""

import ast
from typing import Any

from msprec.source.interpreter import Env, Function
from msprec.source.names import words
from msprec.source.pipelines.values import (
    UNREAD,
    Batches,
    Instance,
    Pipe,
    Step,
    TransformValue,
    as_argument,
    column_names,
    is_plain,
    is_simple,
    uses_outer_names,
)
from msprec.source.transform_signatures import METHODS, REQUIRED, SIGNATURES
from msprec.source.values import UNKNOWN

_INFORMATION = words(
    """
    get_dataset_size get_batch_size get_repeat_count get_col_names output_shapes output_types num_classes
    get_class_indexing reset close_pool save to_json dynamic_min_max_shapes set_dynamic_columns
    """
)


class DataSets:
    """The part of the reader (`reader.Reader`) that this module is about."""

    def _transform(self, name: str, args: list, keywords: dict, whole: bool) -> Any:
        if name == "Compose":
            inner = args[0] if args else keywords.get("transforms", UNKNOWN)
            return inner if type(inner) is tuple else TransformValue(f"{UNREAD}Compose", {}, f"{UNREAD}Compose")
        known = SIGNATURES.get(name, [])
        found = {part: default for part, default in known if default != REQUIRED} if whole else {}
        names = [part for part, _ in known]
        for number, value in enumerate(args):
            found[names[number] if number < len(names) else f"argument_{number + 1}"] = value
        found.update(keywords)
        found.update({part: UNKNOWN for part in names if part not in found})
        shown = {part: as_argument(value) for part, value in found.items()}
        return TransformValue(name, shown, f"{name}({', '.join(f'{part}={value}' for part, value in shown.items())})")

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
        pipe = Pipe((Step(name, shown, self.place(node), source),))
        self.made.append(pipe)
        return pipe

    def _of_pipe(self, pipe: Pipe, name: str, args: list, keywords: dict, node: ast.Call, whole: bool) -> Any:
        if name in ("create_dict_iterator", "create_tuple_iterator", "__iter__"):
            return Batches(pipe)
        if name in _INFORMATION:
            return UNKNOWN if name != "reset" else None
        if name == "apply" and args:
            return self._called(args[0], [pipe], {}, node, Env(self.entry.scope), True)
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
        grown = Pipe((*pipe.steps, Step(name, shown, self.place(node))))
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
        if isinstance(one, TransformValue):
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
