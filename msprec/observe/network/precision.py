"""In which precision the networks compute: what the script asked for and what the cells hold."""

import ast
from typing import Optional

from msprec.observe.network.cells import compute_dtype
from msprec.runtime.cell_origins import created_classes
from msprec.runtime.cells import parameters_of, walk
from msprec.runtime.source_locations import outside_place, place_of_class, short_name

_HALF_NAMES = ("float16", "half")
_CAST_CALLS = ("astype", "cast", "to", "Cast")


class PrecisionObserver:
    """Calls of `to_float`, `auto_mixed_precision`, `Model(amp_level=...)`."""

    def __init__(self) -> None:
        self.amp, self.to_float = [], []

    def install(self, patches) -> None:
        def watch_to_float(original):
            def to_float(cell, dst_type):
                place = outside_place(2)
                if place is not None:
                    self.to_float.append({"class": type(cell).__name__, "dtype": _dtype_name(dst_type), "place": place})
                return original(cell, dst_type)

            return to_float

        def watch_amp(name):
            def make(original):
                def wrapper(*args, **kwargs):
                    level = kwargs.get("amp_level", kwargs.get("level", _level_argument(name, args)))
                    self.note(name, level, kwargs.get("dtype"), outside_place(2))
                    return original(*args, **kwargs)

                return wrapper

            return make

        patches.hook("to_float", watch_to_float)
        patches.hook("auto_mixed_precision", watch_amp("auto_mixed_precision"))
        patches.hook("build_train_network", watch_amp("build_train_network"))

    def note(self, function: str, level, dtype, place: Optional[dict]) -> None:
        """A request for mixed precision; level O0 asks for none. Only the user's own calls count."""
        if place is None or level in (None, "O0"):
            return
        entry = {"function": function, "level": level, "dtype": _dtype_name(dtype or "float16"), "place": place}
        if not any(e["place"] == place and e["level"] == level for e in self.amp):
            self.amp.append(entry)

    def facts(self, roots: list, sources: dict, input_dtypes: list) -> dict:
        """``roots``: networks that were trained; ``sources``: path → text of the user's files."""
        cells, parameters = {}, {}
        for root in roots:
            for _, cell in walk(root):
                dtype = compute_dtype(cell)
                if dtype:
                    cells[dtype] = cells.get(dtype, 0) + 1
            for _, parameter, _, _ in parameters_of(root):
                name = str(parameter.dtype)
                parameters[name] = parameters.get(name, 0) + 1
        made = _named(
            created_classes() | {base for root in roots for _, cell in walk(root) for base in type(cell).__mro__}
        )
        casts = [cast for path, text in sources.items() for cast in find_casts(path, text, made)]
        half = (
            cells.get("float16", 0) > 0
            or parameters.get("Float16", 0) > 0
            or any(e["dtype"] == "float16" for e in self.amp)
            or "float16" in input_dtypes
            or any(c["dtype"] == "float16" and c["in_network"] for c in casts)
        )
        dtypes = sorted(set(cells) | {e["dtype"] for e in self.amp} | {_dtype_name(n) for n in parameters})
        return {
            "amp": self.amp,
            "to_float": self.to_float,
            "parameter_dtypes": parameters,
            "cells_by_compute_dtype": cells,
            "casts": casts,
            "half_compute": half if roots else None,
            "dtypes": dtypes,
        }


def _level_argument(name: str, args: tuple):
    """``auto_mixed_precision(network, level)``, ``build_train_network(network, optimizer, loss_fn, level)``."""
    at = 1 if name == "auto_mixed_precision" else 3
    return args[at] if len(args) > at else "O0"


def _dtype_name(dtype) -> str:
    return str(dtype).lower().replace("mindspore.", "")


def _named(classes) -> set:
    """(file, name) of classes; the file is None where it is not known."""
    return {((place_of_class(cls) or {}).get("file"), cls.__name__) for cls in classes}


class _CastFinder(ast.NodeVisitor):
    """Conversions to float16 or bfloat16, and whether they stand where a network computes. Of ``made``, see `find_casts`."""

    def __init__(self, file: str, made: Optional[set]) -> None:
        self.found, self.functions, self.classes = [], [], []
        self._file, self._made = file, made

    def visit_ClassDef(self, node) -> None:
        self.classes.append(node)
        self.generic_visit(node)
        self.classes.pop()

    def visit_FunctionDef(self, node) -> None:
        self.functions.append(node.name)
        self.generic_visit(node)
        self.functions.pop()

    def visit_Call(self, node) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        dtype = None
        if name == "half" and not node.args:
            dtype = "float16"
        elif name in _CAST_CALLS:
            dtype = next(filter(None, map(_half_name, [*node.args, *(k.value for k in node.keywords)])), None)
        if dtype:
            inside = bool(self.functions) and (
                self.functions[-1] in ("forward", "forward_fn", "loss_fn")
                or (self.functions[-1] == "construct" and self._is_made())
                or (
                    bool(self.classes)
                    and "construct" in {getattr(f, "name", "") for f in self.classes[-1].body}
                    and self.functions[-1] != "__init__"
                    and self._is_made()
                )
            )
            self.found.append((node.lineno, node, dtype, inside))
        self.generic_visit(node)

    def _is_made(self) -> bool:
        if self._made is None or not self.classes:
            return True
        name = self.classes[-1].name
        return (self._file, name) in self._made or (None, name) in self._made


def _half_name(node) -> Optional[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy"):
        return None
    name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
    if name in _HALF_NAMES:
        return "float16"
    return "bfloat16" if name == "bfloat16" else None


def find_casts(path: str, text: str, made: Optional[set] = None) -> list:
    """Conversions to a half precision in a source text; a text that does not parse has none.

    ``made``: (file, name) of the classes of cells that the script has made (the file None where it is not known); a
    conversion in another class, one of the many models of a library, is in no network of it. None: any class counts.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    finder = _CastFinder(short_name(path), made)
    finder.visit(tree)
    return [
        {
            "code": ast.get_source_segment(text, node) or "",
            "dtype": dtype,
            "in_network": inside,
            "place": {"file": short_name(path), "line": line},
        }
        for line, node, dtype, inside in finder.found
    ]
